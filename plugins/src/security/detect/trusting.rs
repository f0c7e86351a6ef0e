//! Reports infrastructure templates that grant administrator rights to a third party: an account, person or network
//! address that is hard-coded in a template, and that the skill's documents do not mention.
//!
//! Legitimate templates grant rights too: to the user's own account, which is a variable or a placeholder, or to
//! services that only read. Templates are reported only if the grantee is hard-coded and foreign, and receives full
//! rights.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::receiving::is_outsider;
use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::{AnyOf, Expression};
use crate::security::hosts::{HostKind, addresses};
use crate::security::signals::{Match, Signal};

/// The maximum distance between a grantee and its rights, in bytes.
const NEAR: usize = 900;

/// The maximum distance between the name of a role and the rights that are attached to the role, in bytes.
const ATTACHED: usize = 300;

/// The number of bytes before and after an account that are searched for the definition of its role.
const BLOCK: usize = 4000;

/// Code is examined only if it contains one of these strings, in lower case.
static SIGNS: AnyOf = AnyOf::new(&[
    "arn:aws",
    "principal",
    "roles/owner",
    "roles/editor",
    "securityadmin",
    "iamadmin",
    "projectiamadmin",
    "cluster-admin",
    "role_definition",
    "--role",
    "collaborator",
    "cidr",
    "sourceranges",
    "source_ranges",
]);

/// An AWS account that is allowed to assume a role.
static ACCOUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"arn:aws[\w-]*:iam::([0-9]{12}):(?:root|role/|user/)|\b(?:accountprincipal|arnprincipal)\(\s*[\x22'](?:arn:aws[\w-]*:iam::)?([0-9]{12})|[\x22']?aws[\x22']?\s*[:=]\s*\[?\s*[\x22']([0-9]{12})[\x22']",
    ))
    .expect("a pattern")
});

/// A policy or an action that grants full rights in AWS.
static ALL_OF_AWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"policy/(?:administratoraccess|poweruseraccess|iamfullaccess)\b|[\x22'](?:administratoraccess|iamfullaccess)[\x22']|\bactions?[\x22']?\s*[:=]\s*\[?\s*[\x22'](?:\*|\*:\*|iam:\*)[\x22']|\bactions?:\s*(?:\n\s*-\s*)?[\x22']?(?:\*|iam:\*)[\x22']?\s*(?:\n|$)",
    ))
    .expect("a pattern")
});

/// The definition of an AWS role. The matching group is the role's name.
static ROLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bresource\s+[\x22']aws_iam_role[\x22']\s+[\x22']([\w-]+)[\x22']|--role-name[= ]+[\x22']?([\w-]+)|\b([\w-]+)\s*:\s*\n\s*type:\s*[\x22']?aws::iam::role",
    ))
    .expect("a pattern")
});

/// The email address of a person or group that is granted rights.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\b(?:user|group|domain):|--user[= ]+|--assignee[= ]+|\bname:\s*|\bprincipal_?name[\x22']?\s*[:=]\s*)[\x22']?([\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)",
    ))
    .expect("a pattern")
});

/// A role with full rights in Google Cloud, Kubernetes or Azure.
static ALL_OF_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\broles/(?:owner|editor|iam\.securityadmin|iam\.organizationroleadmin|resourcemanager\.(?:organization|project)(?:admin|iamadmin))\b|\bcluster-admin\b|(?:role_definition_name|--role)[\x22']?\s*[= ]\s*[\x22']?(?:owner|contributor|user access administrator)\b",
    ))
    .expect("a pattern")
});

/// The id of an Azure object that is granted rights.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\bprincipal_?id[\x22']?\s*[:=]\s*|--assignee(?:-object-id)?[= ]+)[\x22']([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[\x22']",
    ))
    .expect("a pattern")
});

/// A collaborator who is given write or administrator rights to a repository. The matching group is the user name.
static COLLABORATOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"/collaborators/([\w-]{2,39})\b[^\n]{0,80}?\b(?:permission|role)=[\x22']?(?:admin|maintain|push)\b|github_(?:repository_collaborator|membership)[^{}]{0,80}\{[^{}]{0,200}?\busername\s*=\s*[\x22']([\w-]{2,39})[\x22'][^{}]{0,120}?(?:permission|role)\s*=\s*[\x22']admin",
    ))
    .expect("a pattern")
});

/// The address of a single machine or a small network that is allowed to connect.
static NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:cidr\w*|source_?ranges|--cidr|sourceranges)[\x22']?\s*[:= ]\s*\[?\s*(?:\n\s*-\s*)?[\x22']?([0-9]{1,3}(?:\.[0-9]{1,3}){3})/(?:3[0-2]|2[4-9])\b",
    ))
    .expect("a pattern")
});

/// A port for administering a machine or a cluster, or all ports.
static PORT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(
        r"(?:from_?port|--port|ports?|to_?port)[\x22']?\s*[:= ]\s*\[?\s*[\x22']?(?:22|0|2375|2376|3389|5985|5986|6443|10250)\b|(?:protocol|ipprotocol)[\x22']?\s*[:= ]\s*[\x22']?(?:-1|all)\b",
    ))
    .expect("a pattern")
});

/// Account numbers in vendors' examples, except those that repeat digits.
const EXAMPLES: [&str; 9] = [
    "123456789012",
    "012345678901",
    "210987654321",
    "098765432109",
    "987654321098",
    "987654321012",
    "123456789123",
    "112233445566",
    "123412341234",
];

/// Parts of placeholder user names, which the reader is expected to replace.
const BLANKS: [&str; 12] = [
    "user",
    "username",
    "name",
    "octocat",
    "your",
    "login",
    "owner",
    "example",
    "collaborator",
    "my",
    "test",
    "foo",
];

impl Of<'_, '_> {
    /// SEC108: reports third parties that are granted administrator rights.
    pub(super) fn trusting(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() || !SIGNS.is_in(layer.lower()) {
            return;
        }
        for part in self.written_code() {
            let code = layer.lower_part(part);
            if !SIGNS.is_in(code) {
                continue;
            }
            let found = [
                trusted_accounts(code, &layer.left_out),
                trusted_members(code),
                trusted_others(code),
            ];
            let found = found.into_iter().flatten();
            for (span, name) in found.most(MOST_COMPARED, &layer.left_out) {
                let hit = Match {
                    signal: Signal::SafetyOff,
                    span: Span::new(part.start + span.start, part.start + span.end),
                };
                let is_error = !self.is_exhibit(hit.span) && !self.is_announced(&name);
                let what = format!(
                    "gives the rights of an administrator to '{name}', which is fixed in the text"
                );
                self.push_order("SEC108", &hit, is_error, &what);
            }
        }
    }

    /// Returns whether the skill's documents mention a name outside code blocks, where the user can see it.
    pub(super) fn is_announced(&self, name: &str) -> bool {
        let files = self.view.skill.revealed().files.iter();
        let mut docs = files.filter_map(|file| self.view.skill.document(&file.path));
        docs.any(|doc| {
            let lower = doc.text.to_ascii_lowercase();
            // Further places could only make the finding a warning.
            let mut places = lower.match_indices(name).take(MOST_EXAMINED);
            places.any(|(at, _)| !doc.is_in_code_block(at))
        })
    }
}

/// Returns the email addresses of third parties to whom the code grants full rights.
fn trusted_members(code: &str) -> Vec<(Span, String)> {
    if !ALL_OF_OTHERS.is_match(code) {
        return Vec::new();
    }
    // A description of a field names its values in backticks: "For example, `user:a@b.c`".
    let is_described = |found: &Captures<'_>| {
        let start = found.get(0).map_or(0, |whole| whole.start());
        let before = around(code, start, start, NEAR / 4);
        code[..start].ends_with('`') && before.contains("example")
    };
    let found = MEMBER.captures_iter(code);
    let found = found.filter(|found| !is_described(found));
    let found = found.filter_map(|found| found.get(1));
    let strangers = found.filter(|mail| {
        let near = around(code, mail.start(), mail.end(), NEAR / 2);
        ALL_OF_OTHERS.is_match(near) && is_outsider(mail.as_str())
    });
    let named = strangers.map(|mail| {
        (
            Span::new(mail.start(), mail.end()),
            mail.as_str().to_owned(),
        )
    });
    named.collect()
}

/// Returns the AWS accounts to which the code grants full rights.
fn trusted_accounts(code: &str, left_out: &LeftOut) -> Vec<(Span, String)> {
    let rights = ALL_OF_AWS.find_iter(code).most(MOST_COMPARED, left_out);
    let rights: Vec<(usize, usize)> = rights.map(|found| (found.start(), found.end())).collect();
    if rights.is_empty() {
        return Vec::new();
    }
    let accounts = ACCOUNT.captures_iter(code);
    let accounts = accounts.most(4 * MOST_COMPARED, left_out);
    let found = accounts.filter_map(|found| {
        let whole = found.get(0)?;
        let account = found.iter().skip(1).flatten().next()?;
        let from = char_floor(code, whole.start().saturating_sub(200));
        let before = &code[from..whole.end()];
        let is_receiver = has_any(before, &["principal", "identifiers", "trust"]);
        let is_foreign = is_receiver
            && !is_example(account.as_str())
            && has_all_rights(code, whole.start(), &rights);
        let span = Span::new(whole.start(), whole.end());
        is_foreign.then(|| (span, account.as_str().to_owned()))
    });
    found.collect()
}

/// Returns whether the role that is defined around the position `at` has full rights. `rights`: the ranges in which the
/// template grants full rights.
fn has_all_rights(code: &str, at: usize, rights: &[(usize, usize)]) -> bool {
    let from = char_floor(code, at.saturating_sub(BLOCK));
    let role = ROLE.captures_iter(&code[from..at]).last();
    let role = role.and_then(|role| Some((role.get(0)?, role.iter().skip(1).flatten().next()?)));
    let Some((whole, name)) = role else {
        return (rights.iter())
            .any(|(start, end)| start.abs_diff(at) < NEAR || end.abs_diff(at) < NEAR);
    };
    // The definition of the role ends where the next block begins.
    let end_of_block = |from: usize, to: usize| {
        let rest = &code[from..to];
        let ends = ["\nresource ", "\ndata ", "aws::iam::role", "\n\n\n"];
        let ends = ends.iter().filter_map(|end| rest.find(*end));
        from + ends.min().unwrap_or(rest.len())
    };
    let end = end_of_block(at, char_floor(code, at + BLOCK));
    let forms = [
        ".{}.", ".{}]", "\"{}\"", "'{}'", " {} ", "name {}", "name={}",
    ];
    let forms = forms.map(|form| form.replace("{}", name.as_str()));
    // In a short template, the header of the role's block may be near the rights of another role, but the header
    // attaches no rights. A command, by contrast, names the role to which it attaches rights.
    let is_block = whole.as_str().starts_with("resource");
    let title = from + whole.start()..from + whole.end();
    let head_end = end_of_block(title.end, at);
    rights.iter().any(|(start, stop)| {
        let is_own = (at..end).contains(start) || is_block && (title.end..head_end).contains(start);
        let low = char_floor(code, start.saturating_sub(ATTACHED));
        let near = around(code, *start, *stop, ATTACHED);
        let is_named = |form: &String| {
            let mut places = near.match_indices(form.as_str());
            places.any(|(place, _)| !is_block || !title.contains(&(low + place)))
        };
        is_own || forms.iter().any(is_named)
    })
}

/// Returns whether an account number comes from a vendor's examples, such as `111122223333`.
fn is_example(account: &str) -> bool {
    let bytes = account.as_bytes();
    let repeats = |size: usize| {
        bytes
            .chunks(size)
            .all(|group| group.iter().all(|digit| Some(digit) == group.first()))
    };
    EXAMPLES.contains(&account) || repeats(12) || repeats(6) || repeats(4) || repeats(3)
}

/// Returns the other hard-coded grantees: Azure objects, repository collaborators, and networks.
fn trusted_others(code: &str) -> Vec<(Span, String)> {
    let objects = OBJECT.captures_iter(code).filter_map(|found| {
        let id = found.get(1)?;
        let near = around(code, id.start(), id.end(), NEAR / 2);
        let digits = id.as_str().replace('-', "");
        let is_blank = digits.bytes().all(|digit| digit == b'0' || digit == b'1')
            || digits.starts_with("12345678");
        (!is_blank && ALL_OF_OTHERS.is_match(near)).then_some(id)
    });
    let people = COLLABORATOR.captures_iter(code).filter_map(|found| {
        let name = found.iter().skip(1).flatten().next()?;
        let mut parts = name.as_str().split(['-', '_']);
        (!parts.any(|part| BLANKS.contains(&part))).then_some(name)
    });
    let networks = NETWORK.captures_iter(code).filter_map(|found| {
        let address = found.get(1)?;
        let near = around(code, address.start(), address.end(), NEAR / 2);
        let is_public = addresses(&format!("https://{}/", address.as_str()), 1)
            .first()
            .is_some_and(|address| address.kind == HostKind::Number && address.is_live());
        (is_public && PORT.is_match(near.as_bytes())).then_some(address)
    });
    let all = objects.chain(people).chain(networks);
    let named = all.map(|found| {
        (
            Span::new(found.start(), found.end()),
            found.as_str().to_owned(),
        )
    });
    named.collect()
}

/// Returns a range of the code and up to `bytes` bytes on each side.
fn around(code: &str, start: usize, end: usize, bytes: usize) -> &str {
    let start = char_floor(code, start.saturating_sub(bytes));
    &code[start..char_floor(code, end.saturating_add(bytes))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &ACCOUNT,
            &ALL_OF_AWS,
            &ROLE,
            &MEMBER,
            &ALL_OF_OTHERS,
            &OBJECT,
            &COLLABORATOR,
            &NETWORK,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
        LazyLock::force(&PORT);
    }

    #[test]
    fn an_account_of_an_example_is_recognised() {
        for (account, expected) in [
            ("123456789012", true),
            ("111122223333", true),
            ("000000000000", true),
            ("618340972215", false),
            ("464622532012", false),
        ] {
            assert_eq!(is_example(account), expected, "{account}");
        }
    }

    #[test]
    fn the_role_of_an_account_has_its_own_rights() {
        let trust = "resource \"aws_iam_role\" \"a\" {\n  principal = { aws = \"arn:aws:iam::618340972215:root\" }\n}\n";
        let rights = |role: &str, policy: &str| {
            format!(
                "{trust}\nresource \"x\" \"y\" {{\n  role = aws_iam_role.{role}.name\n  arn = \"policy/{policy}\"\n}}\n"
            )
        };
        for (text, expected) in [
            (rights("a", "administratoraccess"), true),
            (rights("b", "administratoraccess"), false),
            (
                rights("b", "administratoraccess").replace("aws_iam_role.b.name", "\"a\""),
                true,
            ),
            (rights("a", "readonlyaccess"), false),
            (
                trust.replace(
                    "  principal",
                    "  policies = [\"policy/administratoraccess\"]\n  principal",
                ),
                true,
            ),
            (
                rights("a", "administratoraccess").replace("618340972215", "111122223333"),
                false,
            ),
        ] {
            let found = trusted_accounts(&text, &LeftOut::default());
            assert_eq!(!found.is_empty(), expected, "{text}");
        }
    }
}
