//! The security rules' view of a skill: the layers of its files, the matches in them, and queries about positions in
//! the layers.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::LazyLock;

use regex::bytes::Regex;
use skillc_core::reveal::{Encoding, Layer, RevealedFile};
use skillc_core::secrets::{self, Secret};
use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;
use skillc_core::{Document, Skill, Span, Stop};

use crate::security::context::{self, Place};
use crate::security::examined::LeftOut;
pub(crate) use crate::security::hosts::is_cheap;
use crate::security::hosts::{Address, HostKind, addresses};
use crate::security::purpose::Purposes;
use crate::security::samples::{Use, use_of};
use crate::security::signals::{Match, Signal, matches};
use crate::security::standing::{self, HereDocuments, Language, Standing};
use crate::security::statements::Known;

/// The maximum length of a [unit](LayerView::unit) or statement, in bytes.
const MAX_UNIT: usize = 4000;

/// The maximum number of addresses in a layer.
pub(crate) const MOST_ADDRESSES: usize = 20_000;

/// If a signal has at least this many matches, some may be missing, because [`matches`] returns at most this many per
/// pattern.
const MANY_MATCHES: usize = 2000;

/// Common parts of names, which do not show who owns a host.
const GENERIC: [&str; 52] = [
    "llm",
    "llms",
    "gateway",
    "proxy",
    "relay",
    "mirror",
    "registry",
    "edge",
    "www",
    "get",
    "install",
    "installer",
    "api",
    "cdn",
    "raw",
    "dl",
    "download",
    "downloads",
    "releases",
    "co",
    "com",
    "docs",
    "cli",
    "app",
    "apps",
    "setup",
    "tool",
    "tools",
    "data",
    "code",
    "agent",
    "agents",
    "skill",
    "skills",
    "dev",
    "cloud",
    "hub",
    "web",
    "net",
    "online",
    "service",
    "services",
    "server",
    "sync",
    "update",
    "updates",
    "helper",
    "free",
    "the",
    "for",
    "and",
    "you",
];

/// Statements that the machines under test belong to the user, or that their owner has consented to the test. Matches
/// text in lower case.
static OWN_TARGETS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?:\b(?:is|are|be|been|you're|explicitly|only)\s+(?:authori[sz]ed|permitted)\b|\bauthori[sz]ed\s+(?:to\s+test|targets?|tests?|testing|labs?|hosts?|machines?|engagements?|scope)\b|\bwritten (?:permission|consent|authori[sz]ation)\b|\bpermission (?:of|from) the owner\b|\brules of engagement\b|\bscope document\b",
        r"|\b(?:own|isolated|practice|vulnerable|training)\s+(?:\w+\s+)?(?:vms?|virtual machines?|labs?|machines?|range|networks?)\b|\blab (?:targets?|networks?|range|vms?|machines?|hosts?)\b|\bcapture[ -]the[ -]flag\b|\bhack ?the ?box\b|\btryhackme\b|\bvulnhub\b",
        r"|\b(?:m(?:á|a)quinas? (?:propias?|virtual(?:es)? propias?)|laboratorio (?:propio|aislado)|con autorizaci(?:ó|o)n|autorisation (?:é|e)crite|propres? (?:vm|machines?)|eigenen? (?:vms?|labor|maschinen?)|schriftliche[rn]? (?:genehmigung|erlaubnis))",
        r"|собственн[^\s.]{0,8} (?:вм|виртуальн|стенд|машин|лаборатор)|с (?:письменного )?разрешения|учебн[^\s.]{0,8} (?:стенд|лаборатор|машин)|自己的(?:虚拟机|靶机|实验)|靶机|靶场|已授权|书面授权|自分の(?:vm|仮想マシン|検証環境)|許可を得た|検証環境|자신의 (?:vm|가상 ?머신|실습)|허가(?:를)? ?받은|실습용)"
    ))
    .expect("a pattern")
});

/// The key of a chat bot, or the URL of a chat's webhook.
static CHAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)\b\d{8,11}:[\w-]{30,40}|/api/webhooks/\d{15,20}/|hooks\.slack\.com/services/T\w{6}",
    )
    .expect("a pattern")
});

/// A skill under review.
pub(crate) struct View<'a> {
    pub(crate) skill: &'a Skill,
    /// Whether the skill is about security, according to its own description.
    pub(crate) is_security: bool,
    /// Whether the reviewed files are the commands that a client runs while it loads the skill, not the skill's own
    /// files.
    pub(crate) is_loaded: bool,
    /// The purposes that the skill states.
    pub(crate) purposes: Purposes<'a>,
    /// The skill's names. Computed on first use, because few skills contain a host for which the names matter.
    called: OnceCell<Called>,
    /// Whether the skill analyses phishing or incidents. Computed on first use.
    is_analysis: OnceCell<bool>,
    /// Whether the skill says that the machines under test belong to the user. Computed on first use.
    is_lab: OnceCell<bool>,
    /// Whether a file of the skill contains the webhook or the bot key of a chat. Computed on first use.
    has_chat: OnceCell<bool>,
}

/// The names of a skill, and of the products that it mentions, in lower case.
struct Called {
    /// The names of the skill, without hyphens.
    names: BTreeSet<String>,
    /// Words that may be product names in `SKILL.md`.
    brands: BTreeSet<String>,
    /// Capitalised words that occur in both the first heading and the description. They are probably the name of the
    /// product that the skill is about.
    titles: BTreeSet<String>,
}

/// A layer of a file, with the matches in it.
pub(crate) struct LayerView<'a> {
    pub(crate) file: &'a RevealedFile,
    pub(crate) doc: Option<&'a Document>,
    pub(crate) layer: &'a Layer,
    /// The matches, sorted by position.
    pub(crate) matches: Vec<Match>,
    /// The matches, sorted by signal and then by position.
    by_signal: Vec<Match>,
    /// The length of the longest match, in bytes.
    longest: usize,
    pub(crate) is_sample: bool,
    /// See [`View::is_loaded`].
    pub(crate) is_loaded: bool,
    /// Whether the text seems to be Spanish.
    pub(crate) is_spanish: OnceCell<bool>,
    pub(crate) is_script: bool,
    /// Facts about the file.
    pub(crate) of_file: Rc<OfFile>,
    /// Facts about the statements.
    pub(crate) known: Known<'a>,
    /// Whether a check has left out matches.
    pub(crate) left_out: LeftOut,
    addresses: OnceCell<Vec<Address>>,
    secrets: OnceCell<Vec<Secret>>,
    /// A cache of the kinds of text, by offset in the file.
    places: RefCell<HashMap<usize, Place>>,
    mentions: RefCell<HashMap<(usize, usize), bool>>,
}

/// Facts about a file, which the layers of the file share.
#[derive(Default)]
pub(crate) struct OfFile {
    /// Whether the file mentions a means of reaching other machines, such as a network library.
    pub(crate) reaches: OnceCell<bool>,
    /// Whether an encoded part of the file contains a foreign address.
    pub(crate) hides_host: OnceCell<bool>,
    /// The number of accounts that were looked up in the documents of the skill.
    pub(crate) accounts: Cell<usize>,
    /// Whether the document says that its samples must not be carried out.
    pub(crate) declares: OnceCell<bool>,
    /// Whether the script may run the value of a variable.
    pub(crate) runs_values: OnceCell<bool>,
    /// Whether the document tells the reader to carry out one of its lists, tables or sections.
    carries_out: OnceCell<bool>,
    /// The here-documents, if the file is a shell script.
    here_documents: OnceCell<HereDocuments>,
    /// The parts of the document that are invisible on the rendered page, in order.
    unseen: OnceCell<Vec<(Span, Place)>>,
    /// The commands that a client runs by itself, in order.
    pub(crate) hooks: OnceCell<Vec<Span>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(skill: &'a Skill) -> Self {
        Self::with(skill, context::is_about_security(skill), false)
    }

    /// Creates a view of the commands that a client runs while it loads the skill ([`loaded`](super::loaded)). No
    /// statement in the skill excuses these commands.
    pub(crate) fn of_loaded(skill: &'a Skill) -> Self {
        Self::with(skill, false, true)
    }

    fn with(skill: &'a Skill, is_security: bool, is_loaded: bool) -> Self {
        Self {
            skill,
            is_security,
            is_loaded,
            purposes: Purposes::of(skill),
            called: OnceCell::new(),
            is_analysis: OnceCell::new(),
            is_lab: OnceCell::new(),
            has_chat: OnceCell::new(),
        }
    }

    /// Returns whether the skill is about security, or analyses phishing or incidents according to its own description.
    pub(crate) fn is_analysis(&self) -> bool {
        let states = || context::is_about_analysis(self.skill);
        self.is_security || !self.is_loaded && *self.is_analysis.get_or_init(states)
    }

    /// Returns whether `SKILL.md` says that the machines under test belong to the user, or that their owner has
    /// consented.
    pub(crate) fn is_lab(&self) -> bool {
        *self.is_lab.get_or_init(|| {
            let main = self.skill.main();
            main.is_some_and(|main| OWN_TARGETS.is_match(lower(&main.text).as_bytes()))
        })
    }

    /// Returns whether a file of the skill contains the key of a chat bot or the URL of a webhook. Messages may then
    /// reach a chat of the skill's author.
    pub(crate) fn has_chat(&self) -> bool {
        *self.has_chat.get_or_init(|| {
            let files = self.skill.revealed().files.iter();
            let mut layers = files.flat_map(|file| &file.layers);
            layers.any(|layer| CHAT.is_match(layer.text.as_bytes()))
        })
    }

    fn called(&self) -> &Called {
        self.called.get_or_init(|| {
            let (names, brands) = words(self.skill);
            Called {
                names,
                brands,
                titles: titles(self.skill),
            }
        })
    }

    /// Returns the layers of a file. Decoded layers without a match are left out if they contain neither a space nor a
    /// colon. An item is `None` if the run is cancelled.
    pub(crate) fn layers(
        &self,
        file: &'a RevealedFile,
        stop: &Stop,
    ) -> impl Iterator<Item = Option<LayerView<'a>>> {
        let is_loaded = self.is_loaded;
        // A document that the skill runs is also examined as a program.
        let is_program = is_loaded || file.run_by.is_some();
        let doc = self.skill.document(&file.path).filter(|_| !is_program);
        let how = use_of(self.skill, file.path.as_str());
        let is_sample = !is_loaded && how.is_some_and(|how| how < Use::Run);
        let is_script = is_loaded || is_script(file);
        let of_file = Rc::new(OfFile::default());
        let layers = file.layers.iter().map(move |layer| {
            let matches = matches(layer, stop)?;
            let mut by_signal = matches.clone();
            by_signal.sort_by_key(|hit| hit.signal);
            let lengths = matches.iter().map(|hit| hit.span.end - hit.span.start);
            Some(LayerView {
                file,
                doc,
                layer,
                longest: lengths.max().unwrap_or_default(),
                by_signal,
                matches,
                is_sample,
                is_loaded,
                is_spanish: OnceCell::new(),
                is_script,
                of_file: Rc::clone(&of_file),
                known: Known::default(),
                left_out: LeftOut::default(),
                addresses: OnceCell::new(),
                secrets: OnceCell::new(),
                places: RefCell::default(),
                mentions: RefCell::default(),
            })
        });
        layers.filter(|view| {
            // Decoded text without a match is only worth reading if it may contain sentences.
            let is_empty = |view: &LayerView<'_>| {
                view.matches.is_empty()
                    && !view.layer.is_file()
                    && !view.text().contains([' ', ':'])
            };
            !view.as_ref().is_some_and(is_empty)
        })
    }

    /// Returns whether the host of an address is named after the skill or after a product that the skill mentions. Such
    /// a host may belong to the vendor.
    pub(crate) fn is_related(&self, address: &Address) -> bool {
        let is_cheap = is_cheap(&address.host);
        // Only the domain or the tenant's name counts, because the owner of a domain can give any name to a host below
        // it.
        let label = address.owner().to_ascii_lowercase();
        let joined = label.replace(['-', '_'], "");
        let called = self.called();
        if joined.len() >= 4 && called.names.contains(&joined) {
            return true;
        }
        let is_brand = |part: &str| !GENERIC.contains(&part) && called.brands.contains(part);
        let mut parts = label.split(['-', '_']).chain([&*joined]);
        let is_named = joined.len() >= 4 && called.titles.contains(&joined);
        is_named || !is_cheap && parts.any(|part| part.len() >= 3 && is_brand(part))
    }

    /// Returns whether the domain of an address is named after a tool that the skill is about: the tool is a word of
    /// the skill's name, and a command in `SKILL.md`. An attacker can choose such a name, so this only turns the error
    /// about an installer into a warning.
    pub(crate) fn is_of_tool(&self, address: &Address) -> bool {
        let tool = address.owner().to_ascii_lowercase();
        let is_word = || {
            let name = self.skill.at.name.to_lowercase();
            name.split(['-', '_', ' ']).any(|part| part == tool)
        };
        address.kind == HostKind::Other
            && address.tenant.is_none()
            && !is_cheap(&address.host)
            && tool.len() >= 4
            && !GENERIC.contains(&&*tool)
            && is_word()
            && self.skill.main().is_some_and(|main| runs(main, &tool))
    }
}

/// The maximum number of code spans that are examined to find the commands of a tool. The same maximum applies to lines
/// of code blocks.
const MOST_CODE: usize = 2000;

/// Returns whether a document contains a command line that begins with the name of a tool.
fn runs(doc: &Document, tool: &str) -> bool {
    let is_run = |code: &str| {
        let code = code.trim_start_matches(['`', ' ', '$', '>']);
        let rest = code.strip_prefix(tool);
        rest.is_some_and(|rest| rest.starts_with(' ') && rest.trim().len() > 1)
    };
    let part = |span: &Span| doc.text.get(span.start..span.end).unwrap_or_default();
    let mut spans = doc.code_spans.iter().map(part).take(MOST_CODE);
    let lines = doc.code_blocks.iter().flat_map(|block| &block.content);
    let mut lines = lines.map(part).flat_map(str::lines).take(MOST_CODE);
    spans.any(is_run) || lines.any(is_run)
}

/// Returns the capitalised words that are in both the first heading and the description of a skill, in lower case.
fn titles(skill: &Skill) -> BTreeSet<String> {
    let Some(main) = skill.main() else {
        return BTreeSet::new();
    };
    let fields = main.frontmatter.fields();
    let description = fields.and_then(|fields| fields.get("description")?.value.text());
    let title = main.headings.first().map_or("", |heading| &*heading.text);
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        let is_name = word.starts_with(|c: char| c.is_uppercase());
        is_name && word.len() >= 4 && description.is_some_and(|text| text.contains(word))
    });
    words.map(str::to_lowercase).take(20).collect()
}

/// Returns the names of a skill, and words in its `SKILL.md` that may be product names, in lower case.
fn words(skill: &Skill) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut names, mut words) = (BTreeSet::new(), BTreeSet::new());
    let Some(main) = skill.main() else {
        return (names, words);
    };
    let own = skill.at.name.to_lowercase();
    names.insert(own.replace(['-', '_', ' '], ""));
    let called = main
        .frontmatter
        .fields()
        .and_then(|fields| fields.get("name"));
    if let Some(called) = called.and_then(|field| field.value.text()) {
        names.insert(called.to_lowercase().replace(['-', '_', ' '], ""));
    }
    let parts: Vec<&str> = own
        .split(['-', '_', ' '])
        .filter(|part| !GENERIC.contains(part))
        .collect();
    names.insert(parts.concat());
    for line in main.text[..char_floor(&main.text, 8000)].lines() {
        let bare = line.trim_start_matches([' ', '>', '*', '-', '|', '"', '\'']);
        if bare.starts_with('#') {
            let title = bare.trim_start_matches(['#', ' ']).to_lowercase();
            // Remove the description after the name: `# Acme - notes for agents`.
            let ends = [" - ", ": ", " — ", " – ", " | ", " ("].iter();
            let end = ends.filter_map(|sign| title.find(sign)).min();
            let title = &title[..end.unwrap_or(title.len())];
            if bare.starts_with("# ") && title.len() < 40 {
                names.insert(title.replace([' ', '-'], ""));
            }
            continue;
        }
        let mut is_start = true;
        for word in bare.split_whitespace() {
            let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
            let starts_upper = plain.starts_with(|c: char| c.is_uppercase());
            let is_mixed = plain.chars().skip(1).any(char::is_uppercase)
                && plain.chars().any(char::is_lowercase);
            // A capital letter at the start of a sentence does not mark a name.
            if plain.len() >= 3
                && (is_mixed || starts_upper && !is_start)
                && !word.contains("://")
                && words.len() < 1000
            {
                let lower = plain.to_lowercase();
                words.extend(
                    lower
                        .split(['-', '.', '/'])
                        .filter(|part| part.len() >= 3)
                        .map(str::to_owned),
                );
                words.insert(lower.replace('-', ""));
            }
            is_start = word.ends_with(['.', '!', '?', ':', '|']);
        }
    }
    (names, words)
}

impl<'a> LayerView<'a> {
    pub(crate) fn text(&self) -> &'a str {
        &self.layer.text
    }

    /// Returns the text in lower case, with the same length in bytes.
    pub(crate) fn lower(&self) -> &'a str {
        self.layer.lower()
    }

    /// Returns the text of a span in lower case.
    pub(crate) fn lower_part(&self, span: Span) -> &'a str {
        let text = self.lower();
        &text[char_floor(text, span.start)..char_floor(text, span.end)]
    }

    /// Returns the matches of a signal, in order.
    pub(crate) fn of(&self, signal: Signal) -> impl Iterator<Item = &Match> + Clone {
        let start = self.by_signal.partition_point(|hit| hit.signal < signal);
        let own = self.by_signal[start..].iter();
        own.take_while(move |hit| hit.signal == signal)
    }

    /// Returns whether a signal has a match in the layer.
    pub(crate) fn has(&self, signal: Signal) -> bool {
        self.of(signal).next().is_some()
    }

    /// Returns the matches of a signal within a span, in order.
    pub(crate) fn within(
        &self,
        signal: Signal,
        span: Span,
    ) -> impl Iterator<Item = &Match> + Clone {
        let low = span.start.saturating_sub(self.longest);
        let start =
            (self.by_signal).partition_point(|hit| (hit.signal, hit.span.start) < (signal, low));
        let own = self.by_signal[start..].iter();
        own.take_while(move |hit| hit.signal == signal && hit.span.start < span.end)
            .filter(move |hit| span.start < hit.span.end)
    }

    /// Returns the matches in `hits` that overlap a span. `hits`: matches of one signal, sorted by position.
    pub(crate) fn overlapping<'m>(
        &self,
        hits: &'m [Match],
        span: Span,
    ) -> impl Iterator<Item = &'m Match> + use<'m> {
        let low = span.start.saturating_sub(self.longest);
        let start = hits.partition_point(|hit| hit.span.start < low);
        let near = hits[start..].iter();
        near.take_while(move |hit| hit.span.start < span.end)
            .filter(move |hit| span.start < hit.span.end)
    }

    /// Returns whether the text has more matches or addresses than were examined, or a command that was not parsed.
    pub(crate) fn is_full(&self) -> bool {
        let mut runs = self.by_signal.chunk_by(|a, b| a.signal == b.signal);
        let addresses = self.addresses.get().map_or(0, Vec::len);
        let is_cut = |run: &[Match]| run.len() >= MANY_MATCHES || run[0].signal == Signal::Unread;
        runs.any(is_cut) || addresses >= MOST_ADDRESSES || self.left_out.is_noted()
    }

    /// Returns the secrets in the text, in order.
    pub(crate) fn secrets(&self) -> &[Secret] {
        self.secrets.get_or_init(|| secrets::find(self.text()))
    }

    /// Returns whether a signal has a match within `bytes` bytes of a span.
    pub(crate) fn has_near(&self, signal: Signal, span: Span, bytes: usize) -> bool {
        let wide = Span::new(span.start.saturating_sub(bytes), span.end + bytes);
        self.within(signal, wide).next().is_some()
    }

    /// Returns the text of a span.
    pub(crate) fn part(&self, span: Span) -> &'a str {
        let text = self.text();
        &text[char_floor(text, span.start)..char_floor(text, span.end)]
    }

    /// Returns the here-documents in the file, which must be a shell script.
    pub(crate) fn here_documents(&self) -> &HereDocuments {
        let documents = &self.of_file.here_documents;
        documents.get_or_init(|| HereDocuments::new(&self.file.text))
    }

    /// Maps a span of the layer to a span of the file.
    pub(crate) fn place_of(&self, span: Span) -> Span {
        self.layer.place(span)
    }

    /// Returns the kind of text that contains a span.
    pub(crate) fn place(&self, span: Span) -> Place {
        let at = self.place_of(span).start;
        let place = || match self.doc {
            Some(doc) => {
                let unseen = self.of_file.unseen.get_or_init(|| context::unseen(doc));
                context::place(doc, at, unseen)
            }
            None if self.is_script => Place::Script,
            None => Place::Data,
        };
        *self.places.borrow_mut().entry(at).or_insert_with(place)
    }

    /// Returns whether the layer is decoded from an encoding that hides text, except encodings that are common in
    /// ordinary files.
    pub(crate) fn is_disguised(&self) -> bool {
        let plain = [
            Encoding::Concatenation,
            Encoding::Renamed,
            Encoding::Percent,
            Encoding::Defanged,
            Encoding::Entity,
            Encoding::Markup,
        ];
        self.layer
            .encodings
            .iter()
            .any(|encoding| !plain.contains(encoding))
    }

    /// Returns whether a span is a mention rather than an instruction.
    pub(crate) fn is_mention(&self, span: Span) -> bool {
        self.is_sample || self.is_mention_in_text(span)
    }

    /// Like [`Self::is_mention`], but ignores the path of the file.
    pub(crate) fn is_mention_in_text(&self, span: Span) -> bool {
        let at = self.place_of(span);
        let known = self.mentions.borrow().get(&(span.start, span.end)).copied();
        known.unwrap_or_else(|| {
            let is_mention = if let Some(hook) = self.hook(at) {
                self.is_data_of_hook(hook, span)
            } else if let Some(doc) = self.doc {
                let place = self.place(span);
                let is_shown = !place.is_hidden() && place != Place::Frontmatter;
                context::is_mention(doc, at, place)
                    || !place.is_hidden() && standing::is_listed(doc, at.start)
                    || is_shown && standing::is_asked(doc, at.start)
                    || is_shown && standing::is_reviewed(doc, at.start) && !self.carries_out(doc)
            } else if self.is_loaded {
                // Only the command itself is examined; the text around it does not count.
                let language = Language::Shell(self.here_documents());
                standing::in_program(&self.file.text, at, true, language) == Standing::Mention
            } else {
                let text = &self.file.text;
                context::is_mention_in_script(text, at, || {
                    let is_shell = self.is_script && is_shell(self.file);
                    let language = || Language::Shell(self.here_documents());
                    is_shell && standing::in_program(text, at, true, language()) == Standing::Order
                })
            };
            self.mentions
                .borrow_mut()
                .insert((span.start, span.end), is_mention);
            is_mention
        })
    }

    /// Returns whether the document tells the reader to carry out one of its lists, tables or sections.
    pub(crate) fn carries_out(&self, doc: &Document) -> bool {
        let carries_out = &self.of_file.carries_out;
        *carries_out.get_or_init(|| standing::carries_out(doc))
    }

    /// Returns the unit of text around a span: the paragraph or list, the code block, or the surrounding part of a
    /// script or of decoded text.
    pub(crate) fn unit(&self, span: Span) -> Span {
        let text = self.text();
        if !self.layer.is_file() {
            return within(text, span, MAX_UNIT);
        }
        if let Some(doc) = self.doc {
            let at = self.place_of(span).start;
            if let Some(block) = doc.code_block_at(at) {
                // Offsets in the folded text may differ from offsets in the file, so compute the block relative to the
                // span.
                let before = at.saturating_sub(block.span.start);
                let after = block.span.end.saturating_sub(at);
                let start = span.start.saturating_sub(before);
                let unit = Span::new(start, (span.start + after).min(text.len()));
                if unit.end - unit.start <= MAX_UNIT {
                    return unit;
                }
                return around(text, span, MAX_UNIT / 2);
            }
            return paragraph(text, span);
        }
        around(text, span, 1500)
    }

    /// Returns the line around a span, including lines that `\`, `|` or `&&` joins to it. The result is limited to
    /// about [`MAX_UNIT`] bytes around the span.
    pub(crate) fn statement(&self, span: Span) -> Span {
        let text = self.text();
        let Span {
            start: low,
            end: high,
        } = within(text, span, MAX_UNIT);
        let mut start = char_floor(text, span.start);
        start = line_start(text, low, start);
        for _ in 0..6 {
            let before = text[low..start].trim_end_matches('\n');
            let last = line_start(text, low, low + before.len());
            let line = text[last..low + before.len()].trim_end();
            if !(line.ends_with('\\') || line.ends_with('|') || line.ends_with("&&"))
                || start == low
            {
                break;
            }
            start = last;
        }
        let mut end = char_floor(text, span.end);
        for _ in 0..6 {
            let line_end = memchr::memchr(b'\n', &text.as_bytes()[end..high]);
            let line_end = line_end.map_or(high, |at| end + at);
            let goes_on = text[low..line_end].trim_end().ends_with(['\\', '|']);
            end = (line_end + usize::from(goes_on)).min(high);
            if !goes_on {
                break;
            }
        }
        Span::new(start, end)
    }

    /// Returns the addresses that begin in a span, in order.
    pub(crate) fn addresses(&self, span: Span) -> &[Address] {
        let all = self.addresses.get_or_init(|| {
            let mut all = addresses(self.text(), MOST_ADDRESSES);
            all.sort_by_key(|address| address.start);
            all
        });
        let start = all.partition_point(|address| address.start < span.start);
        let count = all[start..].partition_point(|address| address.start < span.end);
        &all[start..start + count]
    }

    /// Returns the most suspicious address in a span.
    pub(crate) fn worst(&self, span: Span) -> Option<Address> {
        let worst = self
            .addresses(span)
            .iter()
            .max_by_key(|address| address.kind);
        worst.cloned()
    }

    /// Returns whether an address is only a reference: the address of a tenant, such as the page of a library, in a
    /// comment of a program.
    pub(crate) fn is_reference(&self, address: &Address) -> bool {
        if address.tenant.is_none() || !self.is_script {
            return false;
        }
        let text = self.text();
        let start = line_start(text, 0, char_floor(text, address.start));
        let line = text[start..].trim_start();
        line.starts_with('#') && !line.starts_with("#!")
            || line.starts_with("//")
            || line.starts_with("* ")
    }

    /// Returns whether an address is foreign to the skill: its host is suspect, or unknown and not
    /// [related](View::is_related) to the skill.
    pub(crate) fn is_foreign(view: &View<'_>, address: &Address) -> bool {
        address.kind.is_suspect() || address.kind == HostKind::Other && !view.is_related(address)
    }
}

/// The maximum number of bytes of a file's first line that are examined.
const FIRST_LINE: usize = 200;

/// Returns the first line of a text, or the start of a long one. The first line of a hostile file may be very long, and
/// is examined again for each match.
pub(crate) fn first_line(text: &str) -> &str {
    let start = &text[..char_floor(text, FIRST_LINE)];
    start.lines().next().unwrap_or_default()
}

/// Returns whether a file is a shell script, according to its name, its first line, and the program that runs it.
pub(crate) fn is_shell(file: &RevealedFile) -> bool {
    const EXTENSIONS: [&str; 7] = ["sh", "bash", "zsh", "ksh", "dash", "fish", "command"];
    let extension = file.path.extension();
    let is_named = (extension.as_deref()).is_none_or(|extension| EXTENSIONS.contains(&extension));
    let first = first_line(&file.text);
    match file.run_by {
        Some(by) => !by.starts_with("python"),
        None => is_named && !first.contains("python") && !first.contains("node"),
    }
}

/// Returns whether a file is a program, according to its name, its first line, and the program that runs it.
fn is_script(file: &RevealedFile) -> bool {
    const EXTENSIONS: &[&str] = &[
        "gradle",
        "groovy",
        "kt",
        "kts",
        "java",
        "cs",
        "fish",
        "command",
        "applescript",
        "scpt",
        "psd1",
        "r",
        "sh",
        "bash",
        "zsh",
        "py",
        "pyw",
        "js",
        "mjs",
        "cjs",
        "ts",
        "tsx",
        "ps1",
        "psm1",
        "bat",
        "cmd",
        "rb",
        "pl",
        "php",
        "go",
        "rs",
        "lua",
        "vbs",
        "swift",
        "mts",
        "cts",
        "jsx",
        "pm",
        "ex",
        "exs",
        "jl",
        "tcl",
        "awk",
        "dart",
        "scala",
        "jse",
        "vbe",
        "wsf",
        "hta",
        "nu",
    ];
    let extension = file.path.extension().unwrap_or_default();
    EXTENSIONS.contains(&&*extension)
        || file.text.starts_with("#!")
        || file.run_by.is_some()
        || file.path.file_name() == "Makefile"
        || file.path.file_name() == "Dockerfile"
        || file.path.file_name().ends_with("mkrc")
}

/// Extends a span by `bytes` bytes on each side.
fn around(text: &str, span: Span, bytes: usize) -> Span {
    let start = char_floor(text, span.start.saturating_sub(bytes));
    let end = char_floor(text, (span.end + bytes).min(text.len()));
    Span::new(start, end)
}

/// Returns the span of the whole text if the text has at most `bytes` bytes. Otherwise returns a span of about `bytes`
/// bytes around `span`.
fn within(text: &str, span: Span, bytes: usize) -> Span {
    if text.len() <= bytes {
        return Span::new(0, text.len());
    }
    around(text, span, bytes / 2)
}

/// Returns the start of the line that contains a position, or `low` if the line starts before `low`.
fn line_start(text: &str, low: usize, at: usize) -> usize {
    let before = memchr::memrchr(b'\n', &text.as_bytes()[low..at]);
    before.map_or(low, |end| low + end + 1)
}

/// Returns the paragraph or list around a span. A list continues after a blank line between two of its items.
fn paragraph(text: &str, span: Span) -> Span {
    let Span {
        start: low,
        end: high,
    } = around(text, span, 1500);
    let first = char_floor(text, span.start);
    let mut start = first;
    while let Some(end) = text[low..start].rfind("\n\n") {
        let above = text[low..low + end].trim_end();
        let last = above.rsplit('\n').next().unwrap_or_default();
        let this = text[low + end..start.max(first)].trim_start();
        start = low + end;
        if !(is_item(this) && (is_item(last.trim_start()) || last.ends_with(':'))) {
            break;
        }
        start = low + above.len();
    }
    if start == first && text[low..start].rfind("\n\n").is_none() {
        start = low;
    }
    let mut end = char_floor(text, span.end);
    loop {
        let Some(next) = text[end..high].find("\n\n") else {
            end = high;
            break;
        };
        let next = end + next;
        let last = text[start..next]
            .trim_end()
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        let following = text[next..high].trim_start();
        let goes_on = is_item(following) && (is_item(last.trim_start()) || last.ends_with(':'))
            || last.ends_with(':') && !following.starts_with('#');
        end = next;
        if !goes_on {
            break;
        }
        end = high - following.len();
    }
    Span::new(start.min(span.start), end.max(span.end).min(text.len()))
}

fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && digits < 4 && line[digits..].starts_with(['.', ')'])
    }
}
