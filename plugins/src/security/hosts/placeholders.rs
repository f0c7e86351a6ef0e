//! Recognizes names that the reader is expected to replace, or that are reserved for examples.

use super::is_below;
use super::lists::{CHEAP, NOUNS, RESERVED, SECOND_LEVEL};
use super::name::BLANK;

/// Returns whether a name is a placeholder: its domain is reserved for examples, or a stand-in such as `your-domain`.
/// Subdomains are ignored, because the owner of the domain chooses them.
pub(super) fn is_placeholder(name: &str) -> bool {
    if RESERVED.iter().any(|domain| is_below(name, domain)) || is_reserved(name) {
        return true;
    }
    let top = name.rsplit('.').next().unwrap_or_default();
    if top == "tld" {
        return true;
    }
    // `your.domain.com` means the same as `your-domain.com`.
    let is_spelled = || {
        let rest = name.strip_prefix("your.").unwrap_or_default();
        let noun = rest.split('.').next().unwrap_or_default();
        NOUNS.contains(&noun) && rest.split('.').count() <= 2
    };
    !CHEAP.contains(&top) && (is_stand_in(owner(name)) || is_spelled())
}

/// Returns the label that the owner of a domain has registered: `acme` in `www.acme.co.uk`.
pub(super) fn owner(name: &str) -> &str {
    /// Country domains that are used like `com`: anyone can own `co.io`.
    const GENERAL: [&str; 8] = ["ai", "cc", "co", "io", "me", "sh", "so", "to"];
    let mut labels = name.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let Some(label) = labels.next() else {
        return top;
    };
    let is_country = top.len() == 2 && !GENERAL.contains(&top);
    if is_country && SECOND_LEVEL.contains(&label) {
        return labels.next().unwrap_or(label);
    }
    label
}

/// Returns whether a label is a placeholder for a label of the reader's choice: `acme`, `example-corp`, `your-domain`,
/// `my-server`.
fn is_stand_in(label: &str) -> bool {
    const WHOLE: [&str; 4] = ["acme", "acmecorp", "example", "placeholder"];
    /// The nouns that form a placeholder with `my`. There are few, because many real names begin with `my`.
    const MINE: [&str; 7] = [
        "company", "domain", "host", "org", "server", "site", "website",
    ];
    /// Nouns that can follow another noun: `your-wiki-server`.
    const LAST: [&str; 6] = ["domain", "endpoint", "host", "instance", "server", "url"];
    if WHOLE.contains(&label) {
        return true;
    }
    if let Some(noun) = after(label, "my") {
        return MINE.contains(&noun);
    }
    let noun = ["your", "example", "acme"].map(|start| after(label, start));
    let Some(noun) = noun.into_iter().flatten().next() else {
        return false;
    };
    NOUNS.contains(&noun)
        || noun
            .rsplit_once(['-', '_'])
            .is_some_and(|(first, last)| NOUNS.contains(&first) && LAST.contains(&last))
}

/// Returns whether a name that anyone can register at a service is a placeholder. An attacker could register an unused
/// name, so only names that are certainly taken or reserved count.
pub(super) fn is_free_stand_in(label: &str) -> bool {
    /// Nouns that can follow another noun: `your-backup-bucket`.
    const LAST: [&str; 5] = ["account", "bucket", "name", "project", "username"];
    const VARIABLES: [&str; 6] = ["ACCOUNT", "BUCKET", "NAME", "ORG", "PROJECT", "USER"];
    const WHOLE: [&str; 14] = [
        "account",
        "abc123",
        "acme",
        "bucket",
        "bucketname",
        "bucket-name",
        "example",
        "examplebucket",
        "org",
        "owner",
        "project",
        "tenant",
        "user",
        "username",
    ];
    if label.contains([BLANK, '$', '{', '<', '[', '%', '…']) || WHOLE.contains(&label) {
        return true;
    }
    if label.len() > 1 && label.bytes().all(|byte| matches!(byte, b'x' | b'X')) {
        return true;
    }
    // A descriptive name in capitals, such as `BUCKET_NAME`, is the name of a variable.
    let mut bytes = label.bytes();
    if bytes.all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && VARIABLES.iter().any(|noun| label.contains(noun))
    {
        return true;
    }
    let noun = ["your", "my", "example"].map(|start| after(label, start));
    noun.into_iter().flatten().any(|noun| {
        NOUNS.contains(&noun)
            || noun
                .rsplit_once(['-', '_'])
                .is_some_and(|(first, last)| NOUNS.contains(&first) && LAST.contains(&last))
    })
}

/// Returns the rest of a label that starts with a word.
fn after<'a>(label: &'a str, word: &str) -> Option<&'a str> {
    let rest = label.strip_prefix(word)?.trim_start_matches(['-', '_']);
    (!rest.is_empty()).then_some(rest)
}

/// Returns whether a name is under a reserved domain and is typical of documentation: `api.example`,
/// `registry.example`.
fn is_reserved(name: &str) -> bool {
    const USUAL: [&str; 24] = [
        "api", "your", "my", "www", "acme", "company", "corp", "app", "host", "server", "registry",
        "mail", "internal", "db", "auth", "cdn", "git", "docs", "test", "service", "site", "web",
        "demo", "staging",
    ];
    let below = [".example", ".test", ".invalid"]
        .iter()
        .find_map(|domain| name.strip_suffix(domain));
    // Only the label before the reserved domain counts: `cdn.acme.example` is a placeholder, `cdn.evil-tools.example`
    // is not.
    let owner = below.and_then(|rest| rest.rsplit('.').next());
    owner.is_some_and(|owner| {
        USUAL.contains(&owner.split('-').next().unwrap_or(owner)) || is_stand_in(owner)
    })
}
