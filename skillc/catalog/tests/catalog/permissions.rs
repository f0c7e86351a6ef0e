//! Tests which skills may be loaded.

use skillc_catalog::settings::{OnCollision, Reach};
use skillc_catalog::{Audience, Catalog, Decision, Policy, Wanted, resolve};
use skillc_core::{RelPath, Skill};

use crate::support::{World, configure, skill};

const PROJECT_ALLOWS: &str = "[permissions]\nallow = [{ tool = \"skill_load\" }]\n";

/// Returns the decision about loading a skill, such as `allow`.
fn decided(policy: &Policy, skill: &str) -> &'static str {
    word(policy.decide_load(Some(skill)))
}

fn word(decision: Decision<'_>) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Confirm => "confirm",
        Decision::Deny(Some(_)) => "deny",
        Decision::Deny(None) => "deny by default",
    }
}

/// Returns the policy from a home and a project configuration, and the warnings.
fn policy_of(home: &str, project: &str) -> (Policy, Vec<String>) {
    let world = World::new();
    configure(&world.home, home);
    configure(&world.repo, project);
    let (catalog, notices) = world.read();
    let base = format!("{}/", world.base.display());
    let notices = notices.iter().map(|notice| notice.replace(&base, ""));
    (catalog.policy, notices.collect())
}

#[track_caller]
fn policy(home: &str) -> Policy {
    let (policy, notices) = policy_of(home, "");
    assert_eq!(notices, [""; 0]);
    policy
}

fn rules(list: &str, rules: &str) -> String {
    format!("[permissions]\n{list} = [{rules}]\n")
}

/// CAT-PERM.1.
#[test]
fn rules_have_a_tool_and_may_have_a_name() {
    let text = "[permissions]\n\
                allow = [{ tool = \"skill_load\", skill_name = \"a\" }]\n\
                deny = [{ tool = \"skill_load\", skill_name = \"b\" }, { tool = \"skill_list\" }]\n";
    let world = World::new();
    configure(&world.home, text);
    let (settings, notices) = world.settings();
    assert_eq!(notices, [""; 0]);
    let permissions = settings.permissions;
    assert_eq!(permissions.allow.len(), 1);
    assert_eq!(permissions.deny[0].reach, Reach::Named("b".into()));
    assert_eq!(permissions.deny[1].tool, "skill_list");
    assert_eq!(permissions.deny[1].reach, Reach::Every);
    assert_eq!(
        permissions.deny[1].file,
        world.home.join(".skillc/config.toml")
    );
}

/// CAT-PERM.2.
#[test]
fn deny_rules_take_precedence_over_allow_rules() {
    let both = "[permissions]\n\
                allow = [{ tool = \"skill_load\", skill_name = \"x\" }, { tool = \"skill_load\", skill_name = \"y\" }]\n\
                deny = [{ tool = \"skill_load\", skill_name = \"x\" }]\n";
    let policy = policy(both);
    assert_eq!(decided(&policy, "x"), "deny");
    assert_eq!(decided(&policy, "y"), "allow");
    // With an allow list, skills that are not on it require confirmation.
    assert_eq!(decided(&policy, "z"), "confirm");
}

/// CAT-PERM.2: the default applies to skills that no rule matches.
#[test]
fn without_a_rule_the_default_applies() {
    assert_eq!(decided(&policy(""), "x"), "allow");
    let denies = rules("deny", "{ tool = \"skill_load\", skill_name = \"y\" }");
    assert_eq!(decided(&policy(&denies), "x"), "allow");
    for (default, decision) in [
        ("allow", "allow"),
        ("confirm", "confirm"),
        ("deny", "deny by default"),
    ] {
        let text = format!(
            "[permissions]\ndefault = \"{default}\"\nallow = [{{ tool = \"skill_load\", skill_name = \"y\" }}]\n"
        );
        let policy = policy(&text);
        assert_eq!(decided(&policy, "x"), decision);
        assert_eq!(decided(&policy, "y"), "allow");
    }
}

/// Tools other than `skill_load` can also have rules, but such a rule can only deny the whole tool.
#[test]
fn other_tools_have_rules_too() {
    let policy = policy(
        "[permissions]\nallow = [{ tool = \"skc_build\" }]\ndeny = [{ tool = \"skill_list\" }]\n",
    );
    assert!(policy.closed_tool("skill_list").is_some());
    assert!(policy.closed_tool("skc_build").is_none());
    assert!(policy.closed_tool("skill_search").is_none());
}

/// CAT-PERM.3.
#[test]
fn names_are_compared_ignoring_case_and_blanks() {
    let text = rules(
        "deny",
        "{ tool = \"skill_load\", skill_name = \"  Danger-1 \" }",
    );
    let policy = policy(&text);
    assert_eq!(decided(&policy, "danger-1"), "deny");
    assert_eq!(decided(&policy, "danger-2"), "allow");
}

/// CAT-PERM.3: an invalid allow rule allows nothing. An invalid deny rule for `skill_load`, or without a valid tool,
/// denies loading any skill.
#[test]
fn a_bad_rule_fails_closed() {
    for rule in [
        "{ tool = \"skill_load\", skill_name = \"a*\" }",
        "{ tool = \"skill_load\", skill_name = 3 }",
        "{ tool = \"skill_load\", skill_name = \"\" }",
        "{ tool = \"skill_load\", root = 3 }",
        "{ skill_name = \"x\" }",
        "{ tool = [\"skill_load\"] }",
        "\"x\"",
    ] {
        let (policy, notices) = policy_of(&rules("deny", rule), "");
        assert_eq!(decided(&policy, "x"), "deny", "{rule}");
        let start = "warning[W020]: home/.skillc/config.toml: permissions.deny 1: ";
        assert!(notices[0].starts_with(start), "{notices:?}");
        assert!(
            notices[0].ends_with("; it denies every call"),
            "{notices:?}"
        );

        let (policy, notices) = policy_of(&rules("allow", rule), "");
        assert_eq!(decided(&policy, "x"), "confirm", "{rule}");
        assert_eq!(notices.len(), 1);
        assert!(notices[0].ends_with("; it has no effect"), "{notices:?}");
    }
    let (_, notices) = policy_of(
        &rules("deny", "{ tool = \"skill_load\", skill_name = \"a*\" }"),
        "",
    );
    let expected = "warning[W020]: home/.skillc/config.toml: permissions.deny 1: 'a*' is not a valid skill name; it denies every call";
    assert_eq!(notices, [expected]);
}

/// A mistyped `skill_name` must not allow every skill.
#[test]
fn a_rule_with_an_unknown_key_allows_nothing() {
    let rule = "{ tool = \"skill_load\", skil_name = \"x\" }";
    let (policy, notices) = policy_of(&rules("allow", rule), "");
    assert_eq!(decided(&policy, "x"), "confirm");
    assert_eq!(decided(&policy, "y"), "confirm");
    assert!(
        notices[0].contains("unknown key 'skil_name'"),
        "{notices:?}"
    );
    // A deny rule with an unknown key denies every skill, because it is unclear which skill it was meant to deny.
    let (policy, notices) = policy_of(&rules("deny", rule), "");
    assert!(policy.closed_skill("x").is_some() && policy.closed_skill("y").is_some());
    assert!(
        notices[0].ends_with("unknown key 'skil_name'; it denies every call"),
        "{notices:?}"
    );
    let rule = "{ tool = \"skill_load\", skill_name = \"x\", why = \"old\" }";
    let (policy, notices) = policy_of(&rules("deny", rule), "");
    assert!(policy.closed_skill("x").is_some() && policy.closed_skill("y").is_none());
    assert_eq!(decided(&policy, "x"), "deny");
    assert_eq!(decided(&policy, "y"), "allow");
    assert!(
        notices[0].ends_with("unknown key 'why'; ignored"),
        "{notices:?}"
    );
}

/// If the deny rules cannot be read, everything is denied.
#[test]
fn unreadable_rules_deny_everything() {
    for text in [
        "[permissions]\ndeny = \"x\"\n",
        "permissions = \"none\"\n",
        "[permissions]\ndeny = [\n",
        "version = 0\n[permissions]\n",
    ] {
        for (home, project) in [(text, ""), ("", text)] {
            let (policy, notices) = policy_of(home, project);
            assert_eq!(decided(&policy, "x"), "deny", "{text}");
            assert_eq!(notices.len(), 1, "{notices:?}");
        }
    }
    let (policy, _) = policy_of("[search]\ntokenizer = \n", "");
    assert_eq!(decided(&policy, "x"), "allow");
    let (policy, notices) = policy_of("[permissions]\ndefault = \"ask\"\n", "");
    assert_eq!(decided(&policy, "x"), "confirm");
    assert!(notices[0].ends_with("using \"confirm\""), "{notices:?}");
}

/// CAT-PERM.4.
#[test]
fn a_rule_without_a_name_applies_to_every_skill() {
    let policy = policy(&rules("deny", "{ tool = \"skill_load\" }"));
    assert_eq!(decided(&policy, "x"), "deny");
    assert_eq!(word(policy.decide_load(None)), "deny");
}

/// CAT-PERM.5: rules match the skill's own name, regardless of how the skill was requested.
#[test]
fn rules_match_the_name_of_the_skill_itself() {
    let world = World::new();
    skill(world.repo.join(".agents/skills/x"));
    configure(
        &world.home,
        &rules("deny", "{ tool = \"skill_load\", skill_name = \"x\" }"),
    );
    let catalog: Catalog = world.catalog();
    let entry = &catalog.skills()[0];
    let Decision::Deny(Some(rule)) = catalog.policy.decide_load(Some(&entry.name)) else {
        panic!()
    };
    assert_eq!(rule.reach, Reach::Named("x".into()));
    let file = world.home.join(".skillc/config.toml");
    let expected = format!(
        "{{ tool = \"skill_load\", skill_name = \"x\" }} in {}",
        file.display()
    );
    assert_eq!(rule.to_string(), expected);
    assert_eq!(catalog.visible(Audience::Person).count(), 0);
}

/// D23: an allow rule for one of the user's skills must not apply to a project's skill of the same name.
#[test]
fn a_name_that_is_allowed_everywhere_means_the_skill_of_the_user() {
    let world = World::new();
    let name = "{ tool = \"skill_load\", skill_name = \"x\" }";
    configure(&world.home, &rules("allow", name));
    skill(world.repo.join(".agents/skills/x"));
    let needed = |world: &World| {
        let catalog = world.catalog();
        let needed = catalog.skills().iter();
        needed
            .map(|entry| catalog.needs_word(entry))
            .collect::<Vec<_>>()
    };
    assert_eq!(needed(&world), [false]);
    skill(world.home.join(".agents/skills/x"));
    let catalog = world.catalog();
    for entry in catalog.skills() {
        assert_eq!(catalog.needs_word(entry), !entry.is_users, "{}", entry.path);
    }
    // A rule that is limited to this project applies to the project's skill too.
    let here = format!(
        "{{ tool = \"skill_load\", skill_name = \"x\", root = {:?} }}",
        world.repo.display().to_string()
    );
    configure(&world.home, &rules("allow", &here));
    assert_eq!(needed(&world), [false, false]);
    configure(&world.home, &rules("allow", "{ tool = \"skill_load\" }"));
    assert_eq!(needed(&world), [false, false]);
}

/// CAT-PERM.8.
#[test]
fn a_denial_in_either_file_applies() {
    let denies = rules("deny", "{ tool = \"skill_load\", skill_name = \"x\" }");
    let allows = rules("allow", "{ tool = \"skill_load\", skill_name = \"x\" }");
    let (policy, notices) = policy_of(&denies, &allows);
    assert_eq!(decided(&policy, "x"), "deny");
    assert_eq!(notices.len(), 1, "{notices:?}");
    let (policy, notices) = policy_of(&allows, &denies);
    assert_eq!(decided(&policy, "x"), "deny");
    assert_eq!(notices, [""; 0]);
    let (policy, _) = policy_of(
        &rules("deny", "{ tool = \"skill_load\", skill_name = \"y\" }"),
        &denies,
    );
    assert_eq!(
        (decided(&policy, "x"), decided(&policy, "y")),
        ("deny", "deny")
    );
}

/// A project's allow rules are ignored with one warning, and do not restrict other skills.
#[test]
fn a_project_cannot_allow_its_own_skills() {
    let home = "[permissions]\ndefault = \"confirm\"\n";
    let (policy, notices) = policy_of(home, PROJECT_ALLOWS);
    assert_eq!(decided(&policy, "x"), "confirm");
    let expected = "warning[W020]: repo/.skillc/config.toml: permissions.allow in a project is only honoured if permissions.trust_projects in the user's configuration file lists the project; ignored";
    assert_eq!(notices, [expected]);
    let two = "[permissions]\nallow = [{ tool = \"skill_load\", skill_name = \"a\" }, { tool = \"skill_load\", skill_name = \"b\" }]\n";
    let (policy, notices) = policy_of("", two);
    assert_eq!(decided(&policy, "x"), "allow");
    assert_eq!(notices.len(), 1);
    // A project cannot list itself as trusted.
    let text = "[permissions]\ntrust_projects = [\".\"]\nallow = [{ tool = \"skill_load\" }]\n";
    let (policy, notices) = policy_of(home, text);
    assert_eq!(decided(&policy, "x"), "confirm");
    assert_eq!(notices.len(), 2);
}

#[test]
fn a_trusted_project_can_allow_its_own_skills() {
    let world = World::new();
    configure(&world.repo, PROJECT_ALLOWS);
    for (trusted, decision) in [
        (world.repo.to_str().unwrap(), "allow"),
        ("~/../repo", "allow"),
        ("~/../repo/sub", "confirm"),
        ("~/..", "confirm"),
    ] {
        let text =
            format!("[permissions]\ndefault = \"confirm\"\ntrust_projects = [\"{trusted}\"]\n");
        configure(&world.home, &text);
        let (catalog, _) = world.read();
        assert_eq!(decided(&catalog.policy, "x"), decision, "{trusted}");
    }
}

/// If both files set a default, the stricter default applies.
#[test]
fn a_project_can_only_tighten_the_default() {
    let text = |default: &str| match default {
        "" => String::new(),
        _ => format!("[permissions]\ndefault = \"{default}\"\n"),
    };
    for (home, project, decision) in [
        ("deny", "allow", "deny by default"),
        ("allow", "deny", "deny by default"),
        ("confirm", "allow", "confirm"),
        ("", "confirm", "confirm"),
        ("confirm", "", "confirm"),
    ] {
        let (policy, notices) = policy_of(&text(home), &text(project));
        assert_eq!(decided(&policy, "x"), decision, "{home} {project}");
        assert_eq!(notices, [""; 0]);
    }
}

/// The user's allow rules imply that other skills need confirmation; a project's default cannot lift that requirement.
#[test]
fn a_project_cannot_lift_the_confirmation_that_allow_rules_imply() {
    let home = "[permissions]\nallow = [{ tool = \"skill_load\", skill_name = \"y\" }]\n";
    let project = "[permissions]\ndefault = \"allow\"\n";
    let (policy, _) = policy_of(home, project);
    assert_eq!(decided(&policy, "x"), "confirm");
    assert_eq!(decided(&policy, "y"), "allow");
}

/// A rule for one project does not apply in other projects, and does not restrict them.
#[test]
fn a_rule_may_be_limited_to_one_project() {
    let world = World::new().working_in("sub");
    let here = world.repo.to_str().unwrap();
    let allow = |root: &str| {
        rules(
            "allow",
            &format!("{{ tool = \"skill_load\", skill_name = \"x\", root = \"{root}\" }}"),
        )
    };
    configure(&world.home, &allow(here));
    let policy = world.catalog().policy;
    assert_eq!(
        (decided(&policy, "x"), decided(&policy, "y")),
        ("allow", "confirm")
    );
    configure(&world.home, &allow("/elsewhere"));
    let policy = world.catalog().policy;
    assert_eq!(
        (decided(&policy, "x"), decided(&policy, "y")),
        ("allow", "allow")
    );
    configure(&world.home, &allow(here).replace("allow", "deny"));
    assert_eq!(decided(&world.catalog().policy, "x"), "deny");
}

/// CAT-PERM.8: a marker in a project's folder turns the folder into a root, but the project's rules still apply.
#[test]
fn a_deny_rule_for_a_folder_applies_below_it_despite_markers() {
    let world = World::new().working_in("sub");
    std::fs::create_dir_all(world.repo.join("sub/.git")).unwrap();
    let of_repo = |list: &str, name: &str| {
        let root = world.repo.display();
        rules(
            list,
            &format!("{{ tool = \"skill_load\", skill_name = \"{name}\", root = \"{root}\" }}"),
        )
    };
    configure(&world.home, &of_repo("deny", "x"));
    let policy = world.catalog().policy;
    assert_eq!(
        ["x", "y"].map(|name| decided(&policy, name)),
        ["deny", "allow"]
    );
    configure(&world.home, &of_repo("allow", "x"));
    let policy = world.catalog().policy;
    assert_eq!(
        ["x", "y"].map(|name| decided(&policy, name)),
        ["confirm"; 2]
    );
}

/// CAT-PERM.8, D5: a name that the user allows resolves to the user's skill, even if a project disables that skill.
#[test]
fn a_project_cannot_disable_a_user_skill_to_promote_its_own() {
    let settings = [
        "[[skills.override]]\npath = \"~/.skillc/skills/a/x\"\nenabled = false\n",
        "[[skills.override]]\nname = \"x\"\nenabled = false\n[[skills.override]]\npath = \".agents/skills/x\"\nenabled = true\n",
        "[catalog]\nroots = [\"agents\"]\n",
        "[catalog]\nmax_depth = 1\n",
        "[catalog]\nmax_dirs = 1\n",
    ];
    for text in settings {
        let world = World::new();
        skill(world.home.join(".skillc/skills/a/x"));
        let of_project = skill(world.repo.join(".agents/skills/x"));
        configure(&world.repo, text);
        let meant = |catalog: &Catalog| {
            let wanted = Wanted {
                name: Some("x".to_owned()),
                ..Wanted::default()
            };
            match resolve(catalog, &wanted) {
                Ok(found) => found.entry().path.clone(),
                Err(refusal) => refusal.code().to_owned(),
            }
        };
        assert_eq!(meant(&world.read().0), "AMBIGUOUS_NAME", "{text}");
        let root = world.repo.display();
        configure(
            &world.home,
            &format!("[permissions]\ntrust_projects = [\"{root}\"]\n"),
        );
        assert_eq!(
            meant(&world.read().0),
            of_project.to_str().unwrap(),
            "{text}"
        );
    }
}

/// Returns the path of the skill that the name `x` resolves to, or the code of the refusal.
#[cfg(unix)]
fn x_means(world: &World) -> String {
    let wanted = Wanted {
        name: Some("x".to_owned()),
        ..Wanted::default()
    };
    match resolve(&world.read().0, &wanted) {
        Ok(found) => found.entry().path.clone(),
        Err(refusal) => refusal.code().to_owned(),
    }
}

/// CAT-PERM.8, D23: a project's symlink to the user's skill does not turn that skill into a project skill that the
/// project could disable.
#[cfg(unix)]
#[test]
fn a_project_cannot_link_to_a_user_skill_to_promote_its_own() {
    for (link, own) in [
        (".skillc/skills/x", ".agents/skills/x"),
        (".skillc/skills", ".agents/skills/x"),
        (".agents/skills", ".skillc/skills/x"),
    ] {
        let world = World::new();
        skill(world.home.join(".skillc/skills/x"));
        skill(world.repo.join(own));
        let target = if link.ends_with('x') { "x" } else { "" };
        let target = world.home.join(".skillc/skills").join(target);
        let link = world.repo.join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &link).unwrap();
        for text in [
            "",
            "[[skills.override]]\npath = \"~/.skillc/skills/x\"\nenabled = false\n",
            "[catalog]\nmax_depth = 1\nmax_dirs = 1\n",
        ] {
            configure(&world.repo, text);
            assert_eq!(x_means(&world), "AMBIGUOUS_NAME", "{link:?} {text}");
        }
    }
}

/// CAT-PERM.8, D23: a build of the user is dropped only if its own source is found.
#[cfg(unix)]
#[test]
fn a_project_cannot_hide_a_build_of_the_user_with_a_skill_of_its_name() {
    for has_source in [true, false] {
        let world = World::new();
        let source = world.base.join("ours/.skillc/skills/x");
        skill(&source);
        let build = world.base.join("ours/.skillc/runtime/x");
        skill(&build);
        let source = if has_source {
            source
        } else {
            std::path::PathBuf::new()
        };
        let manifest = serde_json::json!({"skill": "x", "source": source});
        let path = build.join(".skillc-meta/manifest.json");
        crate::support::write(&path, &manifest.to_string());
        let users = world.home.join(".agents/skills");
        std::fs::create_dir_all(&users).unwrap();
        std::os::unix::fs::symlink(&build, users.join("x")).unwrap();
        let of_build = build.join("SKILL.md");
        assert_eq!(x_means(&world), of_build.to_str().unwrap());
        skill(world.repo.join(".skillc/skills/x"));
        assert_eq!(x_means(&world), "AMBIGUOUS_NAME");
    }
}

/// CAT-PERM.8, D23: if a project links to the source of the user's build, the build is dropped, but the source counts
/// as the user's skill.
#[cfg(unix)]
#[test]
fn a_project_cannot_link_to_the_source_of_a_build_of_the_user_to_promote_its_own() {
    let world = World::new();
    let source = world.base.join("ours/.skillc/skills/x");
    skill(&source);
    let build = world.home.join(".agents/skills/x");
    skill(&build);
    let manifest = serde_json::json!({"skill": "x", "source": source});
    let path = build.join(".skillc-meta/manifest.json");
    crate::support::write(&path, &manifest.to_string());
    skill(world.repo.join(".skillc/skills/x"));
    let links = world.repo.join(".agents/skills");
    std::fs::create_dir_all(&links).unwrap();
    std::os::unix::fs::symlink(&source, links.join("x")).unwrap();
    for is_disabled in [false, true] {
        if is_disabled {
            let text = format!(
                "[[skills.override]]\npath = {:?}\nenabled = false\n",
                source.join("SKILL.md")
            );
            configure(&world.repo, &text);
        }
        let catalog = world.read().0;
        let skills = catalog.skills().iter();
        assert_eq!(skills.filter(|entry| !entry.compiled).count(), 2);
        assert_eq!(catalog.skills().len(), 2);
        assert_eq!(x_means(&world), "AMBIGUOUS_NAME", "{is_disabled}");
    }
}

/// CAT-PERM.3: an invalid deny rule still denies everything that it may have been intended to deny.
#[test]
fn a_rule_for_an_unknown_tool_warns_and_denies_what_it_can() {
    for tool in ["skill_loads", "*", "Skill Load"] {
        let (policy, notices) = policy_of(&rules("deny", &format!("{{ tool = \"{tool}\" }}")), "");
        assert_eq!(decided(&policy, "a"), "deny", "{tool}");
        let tool = tool.to_lowercase();
        let wanted = format!("there are no rules for tool '{tool}'; it denies every call");
        assert!(
            notices.iter().any(|notice| notice.contains(&wanted)),
            "{notices:?}"
        );
        let (policy, notices) = policy_of(&rules("allow", &format!("{{ tool = \"{tool}\" }}")), "");
        assert_eq!(decided(&policy, "a"), "allow", "no allow list: {tool}");
        assert_eq!(notices.len(), 1, "{notices:?}");
    }
    let (policy, notices) = policy_of(
        &rules("deny", "{ tool = \" Skill_Load \", skill_name = \"a\" }"),
        "",
    );
    assert_eq!(notices, [""; 0]);
    assert_eq!(
        ["a", "b"].map(|name| decided(&policy, name)),
        ["deny", "allow"]
    );
}

/// An untrusted project cannot hide the user's skill to take over a name that the user allows.
#[test]
fn an_untrusted_projects_settings_do_not_apply_to_the_users_skills() {
    let project = "[catalog]\nfollow_symlinks = false\nname_mismatch = \"error\"\n";
    for (home, is_applied) in [
        ("[catalog]\nname_mismatch = \"warn\"\n", false),
        (
            "[catalog]\nname_mismatch = \"warn\"\n[permissions]\ntrust_projects = [\"REPO\"]\n",
            true,
        ),
    ] {
        let world = World::new();
        let home = home.replace("REPO", &world.repo.display().to_string());
        configure(&world.home, &home);
        configure(&world.repo, project);
        let of_user = world.read().0.settings.discovery.user;
        assert_eq!(of_user.follow_symlinks, !is_applied);
        let is_warned = of_user.name_mismatch == skillc_catalog::settings::NameMismatch::Warn;
        assert_eq!(is_warned, !is_applied);
    }
}

/// CAT-PERM.8, D5: an untrusted project can only tighten the settings.
#[test]
fn untrusted_projects_cannot_change_name_resolution_or_symlink_policy() {
    let project = "[catalog]\non_collision = \"nearest\"\nfollow_symlinks = true\n";
    let settings = |home: &str| {
        let world = World::new();
        configure(
            &world.home,
            &home.replace("REPO", &world.repo.display().to_string()),
        );
        configure(&world.repo, project);
        let (catalog, notices) = world.read();
        let discovery = catalog.settings.discovery;
        (
            discovery.on_collision,
            discovery.project.follow_symlinks,
            notices.len(),
        )
    };
    assert_eq!(settings(""), (OnCollision::Ambiguous, true, 1));
    let own = "[catalog]\non_collision = \"nearest\"\nfollow_symlinks = false\n";
    assert_eq!(settings(own), (OnCollision::Nearest, false, 1));
    let trusted = "[permissions]\ntrust_projects = [\"REPO\"]\n";
    assert_eq!(settings(trusted), (OnCollision::Nearest, true, 0));
}

/// A scan of an archive returns nothing about a denied skill, whether or not its `SKILL.md` was read.
#[test]
fn a_denied_skill_in_memory_is_closed_without_its_documents() {
    let policy = policy("[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"x\" }]\n");
    let closes = |name: &str, files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| {
            let path = RelPath::parse(path).expect("a path");
            (path, text.as_bytes().into())
        });
        policy.closes_in_memory(&Skill::from_contents(name, files.collect()))
    };
    assert!(closes("x", &[("notes.txt", "")]));
    assert!(closes("a", &[("b/SKILL.md", "---\nname: x\n---\n")]));
    assert!(closes("a", &[("x/skill.md", "")]));
    let others = [("b/SKILL.md", "---\nname: y\n---\n"), ("x/a.md", "")];
    assert!(!closes("a", &others));
}
