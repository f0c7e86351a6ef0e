//! Shell completions and manual pages.

use skillc_tests::World;

#[test]
fn completions_of_every_shell_know_the_commands_and_their_options() {
    let world = World::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = world.skc(["completions", shell]).success();
        for word in ["outline", "sources", "check-obsolete", "max-lines"] {
            assert!(output.text().contains(word), "{shell}: {word}");
        }
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn there_is_a_manual_page_for_the_program_and_for_each_command() {
    let world = World::new();
    let root = world.skc(["man"]).success();
    assert!(root.text().contains(".TH skc 1"), "{}", root.text());
    for command in skillc::command().get_subcommands() {
        let name = command.get_name();
        let page = world.skc(["man", name]).success();
        assert!(
            page.text().contains(&format!(".TH skc-{name} 1")),
            "{}",
            page.text()
        );
        assert!(page.text().contains(".SH EXAMPLES\n.nf\n"), "{name}");
    }
    world.skc(["man", "nonsense"]).code("E100");
}
