//! The command line, generated from the list of operations, with help, completions and manual pages.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, Resettable, Styles, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, ColorChoice, Command, value_parser};
use clap_complete::Shell;
use skillc_core::source::read_start;
use skillc_core::{Error, Result};
use skillc_ops::{Example, Operation, Scripts};
use skillc_render::{Format, Render, Visitor, clean, visit_all};

use crate::common::{COMMON, MCP, PLUGIN, plugin_arg};
use crate::complete;
use crate::help::{TEMPLATE, examples, grouped};
use crate::language_server::{self, LSP};
use crate::output::write_file;
use crate::pick;
use crate::report::Io;
use crate::server;
use crate::watch::is_watching;

/// The introductory command.
pub(crate) const TOUR: &str = "tour";
/// The command that prints shell completions.
pub(crate) const COMPLETIONS: &str = "completions";
/// The maximum number of bytes of an existing manual page that are searched for its title.
const MAX_PAGE_START: u64 = 4 << 10;
/// The command that prints manual pages.
pub(crate) const MAN: &str = "man";
/// The group of commands about the skills that agents can use.
const CATALOG: &str = "catalog";
/// The group of commands about the skill registry.
const REGISTRY: &str = "registry";
/// The group of commands about the program itself.
const SELF: &str = "self";
pub(crate) const VERBOSE: &str = "verbose";

const COLOR: &str = "color";

const FORMAT: &str = "format";

const OUTPUT: &str = "output";

/// The file name for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Builds the complete command line.
pub fn command() -> Command {
    build(|command, fill| fill(command))
}

/// Builds the command line for parsing. To save time, only the invoked command gets its arguments.
pub(crate) fn parser() -> Command {
    build(Command::defer)
}

/// Adds the arguments of an operation to its command.
type Fill = fn(Command) -> Command;

fn build(add: fn(Command, Fill) -> Command) -> Command {
    let mut builder = Builder {
        add,
        command: root(),
        groups: vec![server::command(), catalog(), plugin(), registry(), own()],
        names: Vec::new(),
    };
    visit_all(&mut builder);
    let Builder {
        command,
        groups,
        mut names,
        ..
    } = builder;
    names.push(pick::PICK.replace(' ', "-"));
    names.extend(
        [
            MCP,
            CATALOG,
            PLUGIN,
            REGISTRY,
            SELF,
            LSP,
            TOUR,
            COMPLETIONS,
            MAN,
        ]
        .map(str::to_owned),
    );
    command.subcommands(groups).subcommands([
        language_server::command(),
        tour(),
        completions(),
        man(names),
    ])
}

/// Returns the name of the requested operation, with its group, and the operation's arguments.
pub(crate) fn asked(matches: &ArgMatches) -> Option<(String, &ArgMatches)> {
    let (name, arguments) = matches.subcommand()?;
    Some(match asked(arguments) {
        Some((inner, arguments)) => (format!("{name} {inner}"), arguments),
        None => (name.to_owned(), arguments),
    })
}

/// Returns the command that a command line specifies, including the command's group: `list`, `catalog load`. Returns
/// `None` if the command line specifies no command.
pub(crate) fn named(args: &[OsString]) -> Option<String> {
    let words = args.iter().skip(1).filter_map(|arg| arg.to_str());
    let root = parser();
    let (mut at, mut names) = (&root, Vec::new());
    for word in words.filter(|word| !word.starts_with('-')) {
        let Some(found) = at.find_subcommand(word) else {
            break;
        };
        names.push(found.get_name());
        at = found;
    }
    (!names.is_empty()).then(|| names.join(" "))
}

pub(crate) fn format(matches: &ArgMatches) -> Format {
    matches.get_one(FORMAT).copied().unwrap_or(Format::Text)
}

/// Returns the file to write the result to, if `--output` was given.
///
/// `formats`: the formats that can be written to a file.
///
/// # Errors
/// E100 with any other format, and with `--watch`, because watch mode would detect its own output as an edit.
pub(crate) fn output<'a>(
    matches: &'a ArgMatches,
    formats: &[Format],
) -> Result<Option<&'a PathBuf>> {
    let path: Option<&PathBuf> = matches.try_get_one(OUTPUT).ok().flatten();
    let path = path.filter(|path| path.as_os_str() != STANDARD_OUTPUT);
    let fault = if path.is_none() {
        return Ok(None);
    } else if is_watching(matches) {
        (
            "--output cannot be used with --watch",
            "Remove one of the two options.",
        )
    } else if !formats.contains(&format(matches)) {
        (
            "--output requires --format html",
            "Add --format html, or redirect the output.",
        )
    } else {
        return Ok(path);
    };
    Err(Error::InvalidOption {
        message: fault.0.into(),
        hint: Some(fault.1.into()),
    })
}

/// Returns the script files and folders named on the command line.
pub(crate) fn plugins(matches: &ArgMatches) -> Vec<PathBuf> {
    let named = matches.try_get_many(PLUGIN).ok().flatten();
    named.into_iter().flatten().cloned().collect()
}

/// Returns the value of `--color`; `Auto` leaves the choice to the streams.
pub(crate) fn color(matches: &ArgMatches) -> ColorChoice {
    matches.get_one(COLOR).copied().unwrap_or(ColorChoice::Auto)
}

pub(crate) fn print_completions(matches: &ArgMatches, io: &mut Io<'_>) -> ExitCode {
    let shell = matches.get_one::<Shell>("shell");
    let script = shell.map_or_else(|| Ok(Vec::new()), |shell| complete::script(*shell));
    let result = script.and_then(|text| io.out.write_all(&text));
    io.written(result, ExitCode::SUCCESS)
}

/// Prints the manual page of `skc` or of one command, or writes all pages to a directory.
pub(crate) fn print_man(matches: &ArgMatches, cwd: &Path, io: &mut Io<'_>) -> ExitCode {
    let mut root = command();
    root.build();
    if let Some(folder) = matches.get_one::<PathBuf>(OUTPUT) {
        return match write_pages(&root, cwd, &cwd.join(folder)) {
            Ok(count) => {
                let line = format!("Wrote {count} manual pages to {}", folder.display());
                let result = writeln!(io.out, "{}", clean(&line));
                io.written(result, ExitCode::SUCCESS)
            }
            Err(error) => io.fail(&error),
        };
    }
    let asked = matches.get_one::<String>("command");
    let page = asked.and_then(|name| page_of(&root, name)).unwrap_or(&root);
    let result = man_page(page).and_then(|text| io.out.write_all(&text));
    io.written(result, ExitCode::SUCCESS)
}

/// Writes `skc.1`, `skc-build.1` and so on. Returns the number of pages.
fn write_pages(root: &Command, cwd: &Path, folder: &Path) -> Result<usize> {
    fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, &e))?;
    let mut waiting = vec![("skc".to_owned(), root)];
    let mut count = 0;
    while let Some((name, command)) = waiting.pop() {
        let path = folder.join(format!("{name}.1"));
        let text = man_page(command).map_err(|e| Error::io("writing", &path, &e))?;
        check_replaced(&path, &text)?;
        write_file(cwd, &path, &text, &[])?;
        count += 1;
        let inner = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help");
        waiting.extend(inner.map(|inner| (format!("{name}-{}", inner.get_name()), inner)));
    }
    Ok(count)
}

/// Refuses to replace a file that is not an earlier version of the page.
fn check_replaced(path: &Path, page: &[u8]) -> Result<()> {
    // `write_file` checks where a symlink leads.
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if !is_file {
        return Ok(());
    }
    let there = read_start(path, MAX_PAGE_START).map_err(|e| Error::io("reading", path, &e))?;
    if page_title(&there) == page_title(page) {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!("'{}' already exists", path.display()),
        hint: Some("It is not a manual page of skc: move it, or choose another folder.".into()),
    })
}

/// Returns the title and the section of a manual page; `None` if the page has no title line.
fn page_title(page: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(page);
    let words = text.lines().find_map(|line| line.strip_prefix(".TH "))?;
    Some(words.split(' ').take(2).map(str::to_owned).collect())
}

fn man_page(command: &Command) -> io::Result<Vec<u8>> {
    let examples = command.get_before_help().map(ToString::to_string);
    let page = command.clone().before_help(Resettable::Reset);
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    text.extend(man_examples(&examples.unwrap_or_default()).into_bytes());
    Ok(text)
}

/// Finds the command that a manual page describes. `name`: the command, with a hyphen after its group: `build`,
/// `mcp-install`.
fn page_of<'a>(root: &'a Command, name: &str) -> Option<&'a Command> {
    let of_group = || {
        let (group, name) = name.split_once('-')?;
        root.find_subcommand(group)?.find_subcommand(name)
    };
    root.find_subcommand(name).or_else(of_group)
}

/// Formats examples as a section of a manual page, with line breaks preserved.
fn man_examples(examples: &str) -> String {
    let lines = examples.lines().skip(1).map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        format!("\\&{line}\n")
    });
    format!(".SH EXAMPLES\n.nf\n{}.fi\n", lines.collect::<String>())
}

struct Builder {
    /// Adds the arguments to a command, immediately or when the command is invoked.
    add: fn(Command, Fill) -> Command,
    command: Command,
    /// Commands with subcommands.
    groups: Vec<Command>,
    names: Vec<String>,
}

impl Visitor for Builder {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        let (group, name) = match O::NAME.split_once(' ') {
            Some((group, name)) => (Some(group), name),
            None => (None, O::NAME),
        };
        let command = (self.add)(Command::new(name).about(O::ABOUT), with_arguments::<O>);
        let mut groups = self.groups.iter_mut();
        let of_group = group.and_then(|name| groups.find(|group| group.get_name() == name));
        let parent = of_group.unwrap_or(&mut self.command);
        *parent = std::mem::take(parent).subcommand(command);
        self.names.push(O::NAME.replace(' ', "-"));
    }
}

/// Adds an operation's arguments and examples to its command.
fn with_arguments<O: Operation>(command: Command) -> Command
where
    O::Response: Render,
{
    O::Request::augment_args(command)
        // clap uses the request's doc comment as the description: override it.
        .about(O::ABOUT)
        .mut_args(|arg| {
            // Report `--limit -1` as an invalid number, not as an unknown option.
            let is_number = arg.get_value_names().is_some_and(|names| *names == ["N"]);
            arg.allow_negative_numbers(is_number)
        })
        .arg(format_arg(O::Response::FORMATS))
        .args(output_arg(O::Response::TO_FILE))
        .args((O::SCRIPTS != Scripts::Unused).then(plugin_arg))
        .help_template(TEMPLATE)
        .before_help(examples(O::EXAMPLES))
}

fn root() -> Command {
    let verbose = Arg::new(VERBOSE)
        .long("verbose")
        .short('v')
        .global(true)
        .overrides_with(VERBOSE)
        .display_order(COMMON + 1)
        .action(ArgAction::SetTrue)
        .help("Print file paths and timing on standard error");
    let color = Arg::new(COLOR)
        .long("color")
        .global(true)
        .value_name("WHEN")
        .value_parser(value_parser!(ColorChoice))
        .default_value("auto")
        .display_order(COMMON + 2)
        .help("Colour output (auto honours NO_COLOR and CLICOLOR_FORCE)");
    Command::new("skc")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Scaffold, lint, compile and search Agent Skills")
        .arg(verbose)
        .arg(color)
        .subcommand_required(true)
        .help_template(grouped(&Styles::styled()))
        .before_help(examples(&[
            Example {
                command: "skc tour",
                does: "see it work on a sample skill",
            },
            Example {
                command: "skc init my-skill",
                does: "create a skill",
            },
            Example {
                command: "skc build my-skill",
                does: "compile it and deploy it to Claude",
            },
        ]))
}

fn format_arg(formats: &[Format]) -> Arg {
    let names = PossibleValuesParser::new(formats.iter().map(|format| format.name()));
    let parser = names.map(|name| Format::named(&name).expect("the name of a format"));
    Arg::new(FORMAT)
        .long("format")
        .short('o')
        .value_name("FORMAT")
        .value_parser(parser)
        .default_value(Format::Text.name())
        .display_order(COMMON)
        .help("Output format")
}

/// Returns the option `--output`; `None` if no format can be written to a file.
fn output_arg(formats: &[Format]) -> Option<Arg> {
    let help = match formats {
        [] => return None,
        [Format::Html] => "With --format html: write the page to this file",
        _ => "Write the result to this file (- for standard output)",
    };
    let arg = Arg::new(OUTPUT)
        .long("output")
        .alias("output-file")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .display_order(COMMON)
        .help(help);
    Some(arg)
}

fn plugin() -> Command {
    Command::new(PLUGIN)
        .about("Write rules and indexers as scripts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc plugin list",
                does: "list scripted rules and indexers",
            },
            Example {
                command: "skc plugin new rule no-todo",
                does: "create a working example rule with test cases",
            },
            Example {
                command: "skc plugin test",
                does: "run the test cases of the project's scripts",
            },
            Example {
                command: "skc plugin check",
                does: "check the scripts for errors",
            },
        ]))
}

fn catalog() -> Command {
    Command::new(CATALOG)
        .alias("skills")
        .about("Control which skills agents can find and load")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(pick::command())
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc catalog list",
                does: "list the skills that agents can find here",
            },
            Example {
                command: "skc catalog load repo-review",
                does: "load one the way an agent does",
            },
            Example {
                command: "skc catalog disable old-helper",
                does: "disable one in this project",
            },
            Example {
                command: "skc catalog allow repo-review",
                does: "allow loading one without confirmation",
            },
        ]))
}

fn registry() -> Command {
    Command::new(REGISTRY)
        .about("Keep a database of the skills in a directory")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc registry sync",
                does: "update the database from disk",
            },
            Example {
                command: "skc registry list --search release",
                does: "list skills that mention 'release'",
            },
            Example {
                command: "skc registry get my-skill",
                does: "show one skill with its text",
            },
            Example {
                command: "skc registry path",
                does: "print the path of the database",
            },
        ]))
}

fn own() -> Command {
    Command::new(SELF)
        .about("Check the installation of skc")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .help_template(TEMPLATE)
        .before_help(examples(&[Example {
            command: "skc self check",
            does: "show which skc runs, and how it was installed",
        }]))
}

fn tour() -> Command {
    Command::new(TOUR)
        .about("Demonstrate skc on a sample skill in a temporary directory")
        .help_template(TEMPLATE)
        .before_help(examples(&[Example {
            command: "skc tour",
            does: "changes none of your files",
        }]))
}

fn completions() -> Command {
    Command::new(COMPLETIONS)
        .about("Print shell completions")
        .arg(
            Arg::new("shell")
                .required(true)
                .value_name("SHELL")
                .value_parser(value_parser!(Shell))
                .help("Shell"),
        )
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc completions bash > ~/.local/share/bash-completion/completions/skc",
                does: "bash",
            },
            Example {
                command: "skc completions fish > ~/.config/fish/completions/skc.fish",
                does: "fish",
            },
            Example {
                command: "skc completions zsh > ~/.zfunc/_skc",
                does: "zsh, with ~/.zfunc in fpath",
            },
        ]))
}

fn man(names: Vec<String>) -> Command {
    Command::new(MAN)
        .about("Print a manual page, or write all of them")
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .value_parser(PossibleValuesParser::new(names))
                .help("Command, for example mcp-install [default: skc itself]"),
        )
        .arg(
            Arg::new(OUTPUT)
                .long("output")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("command")
                .help("Write the pages of all commands to this folder"),
        )
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc man build > skc-build.1",
                does: "page of one command",
            },
            Example {
                command: "skc man --output ~/.local/share/man/man1",
                does: "all pages, in man's search path",
            },
        ]))
}
