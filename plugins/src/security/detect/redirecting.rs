//! Reports settings that redirect the traffic of other programs to an unknown host: the host of a model, a proxy, a
//! package registry, a git remote, a certificate authority, or a name server. The host then sees keys and prompts, or
//! decides which packages and commits the user receives.
//!
//! Many legitimate skills set the same variables to a gateway of the user's company, or to a service that the skill is
//! about. Signs of a malicious setting are that the host is unrelated to the skill, that the setting outlasts the task,
//! that the user's own key is sent along, and that certificate checks are disabled.

use core::net::Ipv4Addr;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::Of;
use super::remembering::CONSENT;
use super::sending::has_any;
use crate::security::hosts::{Address, HostKind, addresses};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

/// The number of bytes around a setting that are searched for signs that the setting lasts or is hidden.
const NEAR: usize = 400;

/// The maximum distance between the name of a setting and its value, in bytes.
const GAP: usize = 24;

/// Substrings of commands and file names which show that a setting outlasts the task, in lower case.
const LASTING: [&str; 44] = [
    ".bashrc",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    "/.profile",
    ".bash_profile",
    ".bash_login",
    "config.fish",
    "set -ux",
    "$profile",
    "setx ",
    "launchctl setenv",
    "/etc/environment",
    "environment.d",
    "setenvironmentvariable",
    "settings.json",
    ".codex/config",
    ".claude.json",
    ".gemini/.env",
    "config --global",
    "config --system",
    "config set",
    ".npmrc",
    ".yarnrc",
    "pip.conf",
    "pip.ini",
    ".condarc",
    "gitconfig",
    "env -w",
    "daemon.json",
    ".cargo/config",
    "init.gradle",
    ".m2/settings",
    "gem sources",
    "bundle config",
    "networksetup",
    "winhttp",
    "hkcu",
    "hklm",
    "apt.conf",
    ".docker/config",
    "/.config/",
    ".curlrc",
    ".wgetrc",
];

/// Settings that disable the checks of certificates or packages, in lower case.
const UNCHECKED: [&str; 31] = [
    "tls_reject_unauthorized",
    "strict-ssl false",
    "strict-ssl=false",
    "strict-ssl = false",
    "sslverify false",
    "sslverify=false",
    "sslverify = false",
    "ssl_verify: false",
    "ssl_verify false",
    "trusted-host",
    "trusted_host",
    "gosumdb=off",
    "gonosumdb=*",
    "goflags=-insecure",
    "insecure-registries",
    "git_ssl_no_verify",
    "pythonhttpsverify=0",
    "unsafe-perm",
    "enablestrictssl: false",
    "checksumbehavior: ignore",
    "checksumbehavior: \"ignore",
    "safety_checks: disabled",
    "bundle_ssl_verify_mode: \"0",
    "bundle_ssl_verify_mode: 0",
    ":ssl_verify_mode: 0",
    "\"disable-tls\": true",
    "\"disable-tls\":true",
    "allow-insecure-host",
    "verify_ssl = false",
    "check-revoke = false",
    "gosumdb = off",
];

/// Names of the settings files of package managers, in lower case, without a dot at the beginning. Skills often ship
/// such a file under a name without the dot or with another ending.
const PACKAGE_SETTINGS: [&str; 17] = [
    "npmrc",
    "yarnrc",
    "pip.conf",
    "pip.ini",
    "pypirc",
    "condarc",
    "mambarc",
    "gemrc",
    "uv.toml",
    "pdm.toml",
    "bunfig",
    "bundle-config",
    "bundle_config",
    "settings.xml",
    "cargo-config",
    "cargo_config",
    "pipfile",
];

/// Pairs of a key in the settings of a package manager and of a name that its settings file may have. Other programs
/// have files of the same name.
const SHARED_NAMES: [(&str, &str); 5] = [
    ("goproxy", "env"),
    ("replace-with", "config.toml"),
    ("bundle_mirror__", "config"),
    ("\"composer\"", "config.json"),
    ("\"composer\"", "composer.json"),
];

/// Domains of public model services, in addition to the known vendors.
const MODEL_SERVICES: [&str; 20] = [
    "baidubce.com",
    "bigmodel.cn",
    "cerebras.ai",
    "deepinfra.com",
    "fireworks.ai",
    "helicone.ai",
    "minimax.chat",
    "minimaxi.com",
    "moonshot.ai",
    "moonshot.cn",
    "novita.ai",
    "portkey.ai",
    "siliconflow.cn",
    "siliconflow.com",
    "stepfun.com",
    "together.ai",
    "together.xyz",
    "vercel.sh",
    "volces.com",
    "z.ai",
];

/// The beginnings of words for a gateway to a model, in lower case.
const GATEWAYS: [&str; 14] = [
    "gateway",
    "proxy",
    "base url",
    "网关",
    "代理",
    "ゲートウェイ",
    "プロキシ",
    "게이트웨이",
    "프록시",
    "шлюз",
    "прокси",
    "pasarela",
    "puerta de enlace",
    "passerelle",
];

/// Names of registries and vendors, in lower case. A third party's domain that contains such a name poses as the
/// registry or vendor.
const POSED_AS: [&str; 12] = [
    "pythonhosted",
    "pypi",
    "npmjs",
    "nodejs",
    "rubygems",
    "cratesio",
    "golang",
    "dockerhub",
    "github",
    "anthropic",
    "openai",
    "claude",
];

/// The first three bytes of the IP addresses of public name servers.
const NAME_SERVERS: [[u8; 3]; 24] = [
    [1, 1, 1],
    [1, 0, 0],
    [8, 8, 8],
    [8, 8, 4],
    [9, 9, 9],
    [149, 112, 112],
    [208, 67, 222],
    [208, 67, 220],
    [94, 140, 14],
    [94, 140, 15],
    [76, 76, 2],
    [76, 76, 10],
    [114, 114, 114],
    [114, 114, 115],
    [223, 5, 5],
    [223, 6, 6],
    [119, 29, 29],
    [180, 76, 76],
    [77, 88, 8],
    [185, 222, 222],
    [45, 90, 28],
    [168, 126, 63],
    [168, 63, 129],
    [169, 254, 169],
];

impl Of<'_, '_> {
    /// SEC103, SEC104, SEC108, SEC113: reports settings that redirect the traffic of other programs to an unknown host.
    pub(super) fn redirected(&mut self) {
        if self.layer.is_sample {
            return;
        }
        self.models_redirected();
        self.proxies_set();
        self.packages_redirected();
        self.repositories_redirected();
        self.certificates_trusted();
        self.resolvers_set();
    }

    /// Reports settings that change the host of a model. Programs send the user's key and prompts to this host.
    fn models_redirected(&mut self) {
        for hit in self.all(Signal::ModelHost) {
            let Some(address) = self.foreign_target(&hit) else {
                continue;
            };
            if is_model_service(&address.host) {
                continue;
            }
            let is_error = self.is_suspect_setting(&hit, &address)
                || self.is_lasting(&hit) && !self.has_own_key(&hit) && !self.is_stated(&hit);
            let what = format!(
                "sends the user's prompts and key for a model to '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push_order("SEC103", &hit, is_error, &what);
        }
    }

    /// Reports proxies that apply to all later programs.
    fn proxies_set(&mut self) {
        for hit in self.all(Signal::Proxy) {
            let Some(address) = self.foreign_target(&hit) else {
                continue;
            };
            if !self.is_lasting(&hit) {
                continue;
            }
            // A proxy can read encrypted traffic only if programs trust its certificate.
            let is_trusted = self.layer.has_near(Signal::TrustStore, hit.span, NEAR);
            let is_error = is_trusted || self.is_suspect_setting(&hit, &address);
            let what = format!(
                "sends the traffic of other programs through '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push_order("SEC104", &hit, is_error, &what);
        }
    }

    /// Reports package registries that apply to all later installations. The finding is an error if packages are no
    /// longer checked, or if the host is suspicious, hidden from the user, or poses as a well-known registry.
    fn packages_redirected(&mut self) {
        for hit in self.all(Signal::PackageSource) {
            let Some(address) = self.foreign_target(&hit) else {
                continue;
            };
            let is_own = self.view.purposes.has(Purpose::Registry) && !address.kind.is_suspect();
            let is_shipped = self.is_package_settings(&hit);
            if is_own || !is_shipped && !self.is_lasting(&hit) {
                continue;
            }
            // In a file that the user copies, an address without encryption is a setting like the others.
            let is_error = poses(&address)
                || self.is_suspect_setting(&hit, &address)
                || is_shipped && address.is_plain;
            let what = format!(
                "makes all later installations use '{}' ({})",
                address.host,
                address.kind.words()
            );
            self.push_order("SEC113", &hit, is_error, &what);
        }
    }

    /// Reports git settings that replace the host of repositories, or that push to an additional host.
    fn repositories_redirected(&mut self) {
        for hit in self.all(Signal::GitHost) {
            let Some(address) = self.foreign_target(&hit) else {
                continue;
            };
            let text = self.layer.lower_part(hit.span);
            let is_url = text.contains("--push") || text.contains("pushurl");
            let is_push = is_url || text.contains("pushinsteadof");
            let is_program = self.layer.is_script && self.layer.layer.is_file();
            // The URL contains a placeholder, which the user fills in. In a script, a variable in the path of the URL
            // is not one: the script fills it in, and the host is fixed.
            let fixed = if is_program && is_url {
                authority(text)
            } else {
                text
            };
            if has_any(text, &["<", "your"]) || has_any(fixed, &["$", "{"]) {
                continue;
            }
            // Public mirrors for reading from GitHub have `github.com` in their paths.
            let is_relay = address.path.contains("github.com");
            // A user who runs the script does not see a second host for pushes that the documents do not mention.
            let is_untold = is_program && is_push && !self.is_announced(&address.host);
            let is_error = self.is_suspect_setting(&hit, &address)
                || is_untold
                || !is_relay && !is_url && self.is_lasting(&hit);
            let (rule, verb) = if is_push {
                ("SEC104", "pushes the user's repositories to")
            } else {
                ("SEC113", "takes the user's repositories from")
            };
            let what = format!("{verb} '{}' ({})", address.host, address.kind.words());
            self.push_order(rule, &hit, is_error, &what);
        }
    }

    /// Reports commands that trust a certificate authority of an unknown host.
    fn certificates_trusted(&mut self) {
        for hit in self.all(Signal::TrustStore) {
            let before = hit.span.start.saturating_sub(NEAR);
            let near = self.layer.addresses(Span::new(before, hit.span.end));
            let is_certificate = |address: &&Address| {
                let path = address.path.to_ascii_lowercase();
                let is_named = [".pem", ".crt", ".cer", ".der", "/cert"];
                has_any(&path, &is_named) && self.is_foreign(address)
            };
            let Some(address) = near.iter().find(is_certificate).cloned() else {
                continue;
            };
            let is_about = ["certificate", "mitmproxy", "burp", "charles"]
                .iter()
                .any(|name| self.view.purposes.names(name));
            let is_error = !is_about || self.is_suspect_setting(&hit, &address);
            let what = format!(
                "trusts a certificate authority from '{}' ({}), which can then read encrypted traffic",
                address.host,
                address.kind.words()
            );
            self.push_order("SEC108", &hit, is_error, &what);
        }
    }

    /// Reports name servers that are neither well known nor in the user's network.
    fn resolvers_set(&mut self) {
        for hit in self.all(Signal::Resolver) {
            let text = self.layer.lower_part(hit.span);
            let near = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.end + NEAR);
            let near = self.layer.lower_part(near);
            // A command that only shows the name servers prints lines that look like those of the file.
            let is_written = near.contains("resolv.conf") && has_any(near, &[">", "tee ", "write"]);
            if text.starts_with("nameserver") && !is_written {
                continue;
            }
            let Some(server) = text.split(is_no_number).find_map(foreign_server) else {
                continue;
            };
            let is_about = self.view.purposes.names("dns") && !self.is_unseen(&hit);
            let is_error = !is_about && !is_documentation(server);
            let what = format!("lets '{server}' (a bare IP address) answer all DNS queries");
            self.push_order("SEC108", &hit, is_error, &what);
        }
    }

    /// Returns the foreign host to which a setting redirects traffic.
    fn foreign_target(&self, hit: &Match) -> Option<Address> {
        let rest = Span::new(hit.span.end, hit.span.end + GAP);
        let rest = self.layer.lower_part(rest);
        let gap = rest.find(['\n', ';']).unwrap_or(rest.len());
        let setting = Span::new(hit.span.start, hit.span.end + gap);
        let own = self.layer.leads_to(setting).or_else(|| {
            // A host without a scheme, as in `-setwebproxy Wi-Fi host 8080`.
            let text = self.layer.part(hit.span);
            let takes_host = ["-set", "winhttp", "proxyserver"];
            let lower = self.layer.lower_part(hit.span);
            if !takes_host.iter().any(|name| lower.starts_with(name)) {
                return None;
            }
            let words = text.split_whitespace().skip(1);
            let mut words = words.map(|word| word.trim_matches(['"', '\'', ';', ',']));
            let host = words.find(|word| is_host(word))?;
            addresses(&format!("http://{host}/"), 1).into_iter().next()
        });
        // A skill that mentions a vendor is unrelated to a host that only poses as this vendor.
        own.filter(|address| self.is_foreign(address) || poses(address))
    }

    /// Returns whether a setting outlasts the task.
    fn is_lasting(&self, hit: &Match) -> bool {
        let near = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.end + NEAR / 2);
        let name = self.layer.file.path.as_str().to_ascii_lowercase();
        has_any(self.layer.lower_part(near), &LASTING) || has_any(&name, &LASTING)
    }

    /// Returns whether a setting is in a file that is itself the settings file of a package manager.
    fn is_package_settings(&self, hit: &Match) -> bool {
        if self.layer.doc.is_some() {
            return false;
        }
        let name = self.layer.file.path.file_name().to_ascii_lowercase();
        let name = name.trim_start_matches('.');
        let key = self.layer.lower_part(hit.span);
        let is_shared = |(sign, file): &(&str, &str)| key.contains(*sign) && name == *file;
        let is_own = |file: &&str| name.starts_with(*file) || name.ends_with(*file);
        PACKAGE_SETTINGS.iter().any(is_own) || SHARED_NAMES.iter().any(is_shared)
    }

    /// Returns whether a setting uses a suspicious host, is hidden from the user, or comes with settings that disable
    /// checks.
    fn is_suspect_setting(&self, hit: &Match, address: &Address) -> bool {
        address.kind.is_suspect() || self.is_unseen(hit) || self.is_unchecked(hit)
    }

    /// Returns whether a setting is hidden from the user.
    fn is_unseen(&self, hit: &Match) -> bool {
        let near = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.end + NEAR);
        let acts = self.layer.within(Signal::ConcealAct, near).next();
        self.is_disguised(hit) || self.is_concealed(hit.span, NEAR) || acts.is_some()
    }

    /// Returns whether the text near a setting disables checks of certificates or packages.
    fn is_unchecked(&self, hit: &Match) -> bool {
        let start = char_floor(self.layer.lower(), hit.span.start.saturating_sub(NEAR));
        let near = self.layer.lower_part(Span::new(start, hit.span.end + NEAR));
        UNCHECKED.iter().any(|sign| {
            let mut found = near.match_indices(*sign).map(|(at, _)| start + at);
            found.any(|at| !self.layer.is_mention(Span::new(at, at + sign.len())))
        })
    }

    /// Returns whether the skill is about a gateway, according to its name, description or headings, and the text
    /// before a setting says to ask the user or to show the setting to the user. The user then knows where prompts are
    /// sent.
    fn is_stated(&self, hit: &Match) -> bool {
        let before = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.start);
        self.layer.doc.is_some()
            && CONSENT.is_match(self.layer.lower_part(before).as_bytes())
            && GATEWAYS.iter().any(|name| self.view.purposes.names(name))
    }

    /// Returns whether the text near a setting also sets a key for the host, so that the user's own key is not sent.
    fn has_own_key(&self, hit: &Match) -> bool {
        let start = hit.span.start.saturating_sub(NEAR);
        let near = self.layer.lower_part(Span::new(start, hit.span.end + NEAR));
        let mut values = near.lines().filter_map(|line| {
            let names = ["_auth_token", "_api_key"];
            let at = names
                .iter()
                .filter_map(|name| line.find(name).map(|at| at + name.len()));
            let value = line
                .get(at.min()?..)?
                .trim_start_matches(['"', '\'', ']', ' ']);
            let value = value.strip_prefix(['=', ':', ','])?;
            Some(value.trim_matches(['"', '\'', ' ', ',', ';']))
        });
        let names = ["anthropic", "openai", "claude", "gemini", "environ", "env."];
        values.any(|value| !value.is_empty() && !has_any(value, &names))
    }
}

/// Returns whether the domain of an address contains the name of a registry or vendor that does not own it.
fn poses(address: &Address) -> bool {
    let owner = address.owner().to_ascii_lowercase().replace('-', "");
    address.kind >= HostKind::Other && has_any(&owner, &POSED_AS)
}

/// Returns the host of the last URL in a command, with user name and port; the whole command if it has no URL.
fn authority(command: &str) -> &str {
    let Some((_, rest)) = command.rsplit_once("://") else {
        return command;
    };
    let end = rest.find(['/', '"', '\'', ' ']).unwrap_or(rest.len());
    &rest[..end]
}

/// Returns whether a host belongs to a public model service.
fn is_model_service(host: &str) -> bool {
    let host = host.split(':').next().unwrap_or(host);
    MODEL_SERVICES.iter().any(|domain| {
        let rest = host.strip_suffix(*domain);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Returns whether a word is the name of a host, rather than of a file or an option.
fn is_host(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or(word);
    let end = name.rsplit('.').next().unwrap_or_default();
    let is_name = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let is_end = end.len() >= 2 && end.bytes().all(|b| b.is_ascii_alphabetic())
        || name.parse::<Ipv4Addr>().is_ok();
    is_name && is_end && name.contains('.') && !name.starts_with(['-', '.'])
}

fn is_no_number(c: char) -> bool {
    !(c.is_ascii_digit() || c == '.')
}

/// Parses the IP address of a name server. Returns `None` if the server is well known or in a local network.
fn foreign_server(text: &str) -> Option<Ipv4Addr> {
    let server: Ipv4Addr = text.trim_matches('.').parse().ok()?;
    let [first, second, third, _] = server.octets();
    let is_known = NAME_SERVERS.contains(&[first, second, third]);
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_local = server.is_private()
        || server.is_loopback()
        || server.is_link_local()
        || server.is_unspecified()
        || server.is_broadcast()
        || server.is_multicast()
        || is_shared
        || first == 255;
    (!is_known && !is_local).then_some(server)
}

/// Returns whether an address is reserved for documentation.
fn is_documentation(server: Ipv4Addr) -> bool {
    matches!(
        server.octets(),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_server_may_be_well_known_or_local() {
        for (text, expected) in [
            ("45.77.10.3", true),
            ("203.0.113.9", true),
            ("5.6.7.8.", true),
            ("1.1.1.1", false),
            ("8.8.4.4", false),
            ("223.5.5.5", false),
            ("10.0.0.2", false),
            ("192.168.1.1", false),
            ("100.100.100.100", false),
            ("255.255.255.0", false),
            ("0.0.0.0", false),
            ("12", false),
        ] {
            assert_eq!(foreign_server(text).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn the_host_of_a_command_is_found() {
        for (command, expected) in [
            (
                "set-url --push origin \"https://git.mirror.io/in/$user/$n.git\"",
                "git.mirror.io",
            ),
            ("set-url --push origin https://$host/a.git", "$host"),
            (
                "set-url --push origin \"$url\"",
                "set-url --push origin \"$url\"",
            ),
            ("url.https://a.io/.pushinsteadof https://b.io/", "b.io"),
        ] {
            assert_eq!(authority(command), expected, "{command}");
        }
    }

    #[test]
    fn a_word_may_be_a_host() {
        for (word, expected) in [
            ("proxy.tables-cdn.io", true),
            ("proxy.tables-cdn.io:8080", true),
            ("45.77.10.3", true),
            ("Wi-Fi", false),
            ("8080", false),
            ("--flag.x", false),
            ("$HOST.io", false),
            ("/etc/a.conf", false),
        ] {
            assert_eq!(is_host(word), expected, "{word}");
        }
    }
}
