//! Finds names of packages that imitate well-known packages.

/// Well-known packages of several registries, which attackers imitate.
const POPULAR: &[&str] = &[
    "requests",
    "numpy",
    "pandas",
    "django",
    "flask",
    "fastapi",
    "pydantic",
    "scipy",
    "matplotlib",
    "tensorflow",
    "pytorch",
    "scikit-learn",
    "beautifulsoup4",
    "selenium",
    "pillow",
    "urllib3",
    "cryptography",
    "colorama",
    "setuptools",
    "boto3",
    "sqlalchemy",
    "openai",
    "anthropic",
    "langchain",
    "transformers",
    "python-dateutil",
    "python-dotenv",
    "aiohttp",
    "paramiko",
    "react",
    "react-dom",
    "react-devtools",
    "react-router",
    "lodash",
    "express",
    "axios",
    "chalk",
    "commander",
    "webpack",
    "typescript",
    "eslint",
    "prettier",
    "next",
    "vue",
    "angular",
    "svelte",
    "jquery",
    "cross-env",
    "dotenv",
    "mongoose",
    "socket.io",
    "nodemon",
    "puppeteer",
    "playwright",
    "electron",
    "discord.js",
    "ethers",
    "web3",
    "moment",
    "underscore",
    "request",
    "bluebird",
    "babel-cli",
    "tailwindcss",
    "jsonwebtoken",
    "nodemailer",
    "sequelize",
    "passport",
];

/// Packages of their own whose names are similar to well-known names.
const OF_THEIR_OWN: &[&str] = &["fastai", "reach-router"];

/// How the name of a package imitates a well-known name.
pub(crate) enum Odd {
    /// Uses characters that look like other letters: `1odash`.
    Disguised(&'static str),
    /// Swaps two adjacent letters.
    Swapped(&'static str),
    /// Omits or adds one letter.
    Near(&'static str),
}

/// Returns how a name imitates a well-known name; `None` if it does not.
pub(crate) fn odd(name: &str) -> Option<Odd> {
    let name = name.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | ',' | ')' | ';'));
    let bare = name
        .split(['=', '>', '<', '~', '[', '!'])
        .next()
        .unwrap_or(name);
    let bare = match bare.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => &bare[..at],
        None => bare,
    };
    if bare.len() < 5 || bare.len() > 40 || bare.starts_with(['-', '.', '/', '@']) {
        return None;
    }
    let lower = bare.to_ascii_lowercase();
    if POPULAR.contains(&&*lower) || OF_THEIR_OWN.contains(&&*lower) {
        return None;
    }
    let plain: String = bare.replace("rn", "m").replace("vv", "w");
    for text in [bare.to_owned(), plain] {
        let letter = |c: char| match c {
            'I' | '1' | '|' => 'l',
            '0' => 'o',
            '5' => 's',
            '3' => 'e',
            c => c.to_ascii_lowercase(),
        };
        let shown: String = text.chars().map(letter).collect();
        let text = text.to_ascii_lowercase();
        let known = POPULAR
            .iter()
            .find(|known| **known == shown || **known == text && text != lower);
        if let Some(known) = known {
            return Some(Odd::Disguised(known));
        }
    }
    let is_near = |known: &&&str| {
        known.len() >= 6 && is_one_apart(&lower, known)
            || known.len() >= 8 && is_one_replaced(&lower, known)
    };
    let known = POPULAR.iter().find(is_near)?;
    Some(if known.len() == lower.len() {
        Odd::Swapped(known)
    } else {
        Odd::Near(known)
    })
}

/// Returns whether `a` is `b` with one letter missing or added, or with two adjacent letters swapped.
fn is_one_apart(a: &str, b: &str) -> bool {
    // A name with an additional hyphen, digit or final letter is usually a package of its own.
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    let is_plain = |byte: &u8| byte.is_ascii_lowercase();
    match (rest_a, rest_b) {
        // A doubled final letter is a misspelling: `expresss`.
        ([x], []) => is_plain(x) && b.last() == Some(x),
        // A name with another first letter, such as `grequests`, is usually a package of its own, too.
        ([x, more @ ..], rest) if more == rest => is_plain(x) && !rest.is_empty() && same > 0,
        (rest, [_, more @ ..]) if more == rest => !rest.is_empty() && same > 0,
        ([first, second, tail @ ..], [other, another, rest @ ..]) => {
            tail == rest && first == another && second == other
        }
        _ => false,
    }
}

/// Returns whether `a` is `b` with one letter replaced, other than the first.
fn is_one_replaced(a: &str, b: &str) -> bool {
    let pairs = || a.bytes().zip(b.bytes());
    let is_start = a.bytes().next() == b.bytes().next();
    is_start && a.len() == b.len() && pairs().filter(|(x, y)| x != y).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_like_known_ones_are_odd() {
        for name in [
            "react-devtooIs",
            "1odash",
            "reqests",
            "requessts",
            "djagno",
            "expres5",
            "requesrs",
            "expresss",
            "dotnev",
            "jsonwebtokn",
        ] {
            assert!(odd(name).is_some(), "{name}");
        }
        for name in [
            "requests",
            "lodash@4.17.21",
            "react-dnd",
            "numpy>=2",
            "lodash-es",
            "nextra",
            "./local",
            "vuex",
            "fastapis-cli",
            "expressx",
            "transformer",
            "dotenvx",
            "fastai",
            "grequests",
            "ctransformers",
            "preact-router",
            "gqlalchemy",
        ] {
            assert!(odd(name).is_none(), "{name}");
        }
    }
}
