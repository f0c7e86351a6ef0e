//! Known hosts at which anyone can publish a file or have a mailbox. The host alone does not show who owns the file or
//! mailbox.

use super::mirrors::{RELAYS, REPOSITORIES};
use super::{Address, is_below};

/// Hosts that serve files published by their users. Each host has a part of the path to such a file.
const PUBLISHERS: [(&str, &str); 16] = [
    ("raw.githubusercontent.com", "/"),
    ("github.com", "/raw/"),
    ("github.com", "/releases/"),
    ("gist.github.com", "/raw"),
    ("gitlab.com", "/-/raw/"),
    ("bitbucket.org", "/raw/"),
    ("codeberg.org", "/raw/"),
    ("huggingface.co", "/resolve/"),
    ("hf-mirror.com", "/resolve/"),
    ("gitee.com", "/raw/"),
    ("gitee.com", "/releases/"),
    ("gitcode.com", "/raw/"),
    ("docs.google.com", "/uc"),
    ("drive.usercontent.google.com", "/"),
    ("onedrive.live.com", "/download"),
    ("r.jina.ai", "/"),
];

/// Publisher hosts whose paths do not begin with the name of an account.
const NAMELESS: [&str; 4] = [
    "docs.google.com",
    "drive.usercontent.google.com",
    "onedrive.live.com",
    "r.jina.ai",
];

/// Accounts that publish widely used installers, in lower case.
const WELL_KNOWN: [&str; 62] = [
    "anchore",
    "anthropics",
    "aquasecurity",
    "argoproj",
    "asdf-vm",
    "astral-sh",
    "aws",
    "awslabs",
    "azure",
    "bitnami",
    "cli",
    "cloudflare",
    "creationix",
    "curl",
    "dapr",
    "denoland",
    "digitalocean",
    "docker",
    "dotnet",
    "fluxcd",
    "git",
    "github",
    "golang",
    "golangci",
    "google",
    "googlecloudplatform",
    "google-gemini",
    "goreleaser",
    "grafana",
    "hashicorp",
    "helm",
    "homebrew",
    "huggingface",
    "istio",
    "jdx",
    "junegunn",
    "k3d-io",
    "k3s-io",
    "kubernetes",
    "kubernetes-sigs",
    "linkerd",
    "microsoft",
    "mikefarah",
    "moby",
    "nodesource",
    "nvm-sh",
    "ohmyzsh",
    "ollama",
    "openai",
    "oven-sh",
    "pnpm",
    "prometheus",
    "pyenv",
    "python-poetry",
    "rbenv",
    "rust-lang",
    "rvm",
    "starship",
    "supabase",
    "terraform-linters",
    "vercel",
    "yarnpkg",
];

/// Hosts that forward data to the owner of an account, or store the data for the owner. Each host has a part of the
/// path, in lower case.
const RECEIVERS: [(&str, &str); 23] = [
    ("api.github.com", "/gists"),
    ("gitee.com", "/gists"),
    ("slack.com", "/api/chat.post"),
    ("slack.com", "/api/files."),
    ("gmail.googleapis.com", "send"),
    ("googleapis.com", "/gmail/"),
    ("sheets.googleapis.com", "/"),
    ("graph.microsoft.com", "sendmail"),
    ("webhook.office.com", ""),
    ("outlook.office.com", "/webhook"),
    ("api.airtable.com", ""),
    ("api.notion.com", ""),
    ("ingest.sentry.io", ""),
    ("api.sendgrid.com", ""),
    ("api.mailgun.net", ""),
    ("api.resend.com", ""),
    ("api.twilio.com", ""),
    ("posthog.com", "/capture"),
    ("posthog.com", "/batch"),
    ("mixpanel.com", ""),
    ("segment.io", ""),
    ("registry.npmjs.org", ""),
    ("discord.com", "/api/"),
];

impl Address {
    /// Returns the account that published the file at the address, and the name of its repository. Both are empty if
    /// the address does not contain them. Returns `None` if the publisher is the vendor itself, or an account that
    /// publishes widely used installers.
    pub(crate) fn publisher(&self) -> Option<(&str, &str)> {
        let host = self.name();
        if RELAYS.contains(&host) || REPOSITORIES.contains(&host) {
            return Some(("", ""));
        }
        let is_of = |(name, part): &&(&str, &str)| host == *name && self.path.contains(part);
        PUBLISHERS.iter().find(is_of)?;
        if NAMELESS.contains(&host) {
            return Some(("", ""));
        }
        let mut folders = self.path.split(['/', '?', '#']).skip(1);
        let owner = folders.next().unwrap_or_default();
        let is_known = WELL_KNOWN.contains(&&*owner.to_ascii_lowercase());
        (!is_known).then(|| (owner, folders.next().unwrap_or_default()))
    }

    /// Returns whether the host forwards the data sent to this address to the owner of an account, who can be anyone.
    pub(crate) fn passes_on(&self) -> bool {
        let (host, path) = (self.name(), self.path.to_ascii_lowercase());
        let is_queue = host.starts_with("sqs.") && is_below(host, "amazonaws.com");
        let is_of = |(name, part): &(&str, &str)| is_below(host, name) && path.contains(part);
        is_queue || RECEIVERS.iter().any(is_of)
    }

    /// Returns the host without its port.
    fn name(&self) -> &str {
        self.host.split(':').next().unwrap_or(&self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::super::addresses;

    #[test]
    fn a_published_file_is_that_of_an_account() {
        let publisher = |text: &str| {
            let found = addresses(text, 1);
            let known = found[0].publisher();
            known.map(|(owner, name)| format!("{owner}/{name}"))
        };
        for (text, expected) in [
            (
                "https://raw.githubusercontent.com/tables/cli/main/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://github.com/tables/cli/raw/main/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://github.com/tables/cli/releases/latest/download/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://gitlab.com/tables/cli/-/raw/main/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://huggingface.co/tables/cli/resolve/main/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://hf-mirror.com/tables/cli/resolve/main/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://gitee.com/tables/cli/raw/master/i.sh",
                Some("tables/cli"),
            ),
            (
                "https://ghproxy.com/https://raw.githubusercontent.com/nvm-sh/nvm/i.sh",
                Some("/"),
            ),
            ("https://docs.google.com/uc?export=download&id=1", Some("/")),
            (
                "https://packagecloud.io/install/repositories/tables/cli/script.deb.sh",
                Some("/"),
            ),
            (
                "https://dl.cloudsmith.io/public/tables/cli/setup.deb.sh",
                Some("/"),
            ),
            ("https://get.chezmoi.io", None),
            ("https://r.jina.ai/https://tables.io/i.sh", Some("/")),
            (
                "https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh",
                None,
            ),
            ("https://github.com/tables/cli", None),
            ("https://astral.sh/uv/install.sh", None),
            ("https://get.docker.com", None),
            ("https://pypi.org/simple/", None),
        ] {
            assert_eq!(publisher(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn some_hosts_pass_on_what_they_receive() {
        for (text, expected) in [
            ("https://api.github.com/gists", true),
            ("https://slack.com/api/chat.postMessage", true),
            ("https://tables.webhook.office.com/webhookb2/1", true),
            ("https://o1.ingest.sentry.io/api/1/store/", true),
            ("https://sqs.eu-west-1.amazonaws.com/1/q", true),
            ("https://api.github.com/user/keys", false),
            ("https://api.openai.com/v1/files", false),
            ("https://storage.googleapis.com/upload", false),
            ("https://gitlab.com/api/v4/user/keys", false),
        ] {
            assert_eq!(addresses(text, 1)[0].passes_on(), expected, "{text}");
        }
    }
}
