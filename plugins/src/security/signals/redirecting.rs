//! Patterns for settings that redirect the traffic of other programs to another host.

use super::{Pattern, Signal, pattern};

pub(super) const PATTERNS: &[Pattern] = &[
    pattern(
        Signal::ModelHost,
        &[
            "_base_url",
            "_baseurl",
            "_api_base",
            "_api_url",
            "_api_host",
            "_api_endpoint",
            "openai_endpoint",
            "openai_host",
            "anthropic_url",
            "anthropic_host",
            "anthropic_endpoint",
        ],
        r"(?i-u)(?:anthropic|openai|claude(?:_code)?|gemini|codex|mistral|deepseek|openrouter)(?:_(?:bedrock|vertex))?_(?:(?:api_)?base_?url|api_(?:base|url|host|endpoint)|url|host|endpoint)\b",
    ),
    pattern(
        Signal::Proxy,
        &[
            "_proxy",
            "http.proxy",
            "https.proxy",
            "config set",
            "setwebproxy",
            "setsecurewebproxy",
            "setsocksfirewallproxy",
            "setautoproxyurl",
            "proxyserver",
            "autoconfigurl",
            "set proxy",
            "::proxy",
        ],
        r"(?i-u)(?:\b(?:https?|all)_proxy\b|\bhttps?\.proxy[ \t\x22]|\bconfig\s+set\s+(?:--?\w+\s+){0,2}(?:https?-)?proxy\b|-set(?:(?:secure)?webproxy|socksfirewallproxy|autoproxyurl)[ \t][^\n]{0,120}|\bproxyserver\b[^\n]{0,100}|\bautoconfigurl\b[^\n]{0,100}|\bwinhttp\s+set\s+proxy[ \t][^\n]{0,100}|acquire::https?::proxy\b)",
    ),
    // Settings of package managers that apply to all later installations.
    pattern(
        Signal::PackageSource,
        &[
            "npmregistryserver",
            "registry-mirrors",
            "replace-with",
            "gem sources",
            "config mirror.",
            "repo.packagist",
            "channel_alias",
            "default_channels",
        ],
        r"(?i-u)(?:npmregistryserver\W{1,4}https?://\S+|registry-mirrors[^\n]{0,40}https?://\S+|replace-with\s*=\s*[^\n]{1,60}\n(?:[^\n]{0,120}\n){0,3}?\s*registry\s*=\s*\x22(?:sparse\+)?https?://\S+|gem\s+sources\s+(?:--?\w+\s+){0,2}(?:--add|-a)\s+https?://\S+|config\s+mirror\.\S+\s+https?://\S+|repo\.packagist[^\n]{0,60}https?://\S+|channel_alias\s*:\s*https?://\S+|default_channels\s*:\s*\n\s*-\s*https?://\S+)",
    ),
    // Settings files of package managers, which skills ship for the user to copy.
    pattern(
        Signal::PackageSource,
        &["mirrorof", "bundle_mirror__", ":sources:", "[install]"],
        r"(?is-u)(?:<mirrorof>[^<]{0,60}</mirrorof>.{0,200}?<url>\s*https?://[^\s<]+|<url>\s*https?://[^\s<]+\s*</url>.{0,200}?<mirrorof>|\bbundle_mirror__\w{1,80}[\x22']?\s*[:=]\s*[\x22']?https?://\S+|:sources:\s*\n\s*-\s*[\x22']?https?://\S+|\[install\]\s*\n(?:[^\n\[]{0,80}\n){0,3}?\s*registry\s*=\s*[\x22']https?://[^\s\x22']+)",
    ),
    // Other settings of the same kind, which are common. They matter only beside settings that disable checks.
    pattern(
        Signal::PackageSource,
        &[
            "channels:",
            "\"composer\"",
            "index-url",
            "index_url",
            "[[index",
            "[[tool.uv.index",
            "[[source",
            "[[tool.poetry.source",
        ],
        r"(?i-u)(?:\bchannels\s*:\s*\n(?:\s*-\s*[^\n]{1,60}\n){0,4}?\s*-\s*[\x22']?https?://\S+|\x22composer\x22\s*,\s*\x22url\x22\s*:\s*\x22https?://[^\s\x22]+|\b(?:default-)?index[-_]url\s*=\s*[\x22']https?://[^\s\x22']+|\[\[(?:tool\.(?:uv|poetry)\.)?(?:index|source)\]\]\s*\n(?:[^\n\[]{0,80}\n){0,3}?\s*url\s*=\s*[\x22']https?://[^\s\x22']+)",
    )
    .needs(&[&[
        "ssl_verify",
        "safety_checks",
        "disable-tls",
        "secure-http",
        "insecure",
        "trusted",
        "verify_ssl",
    ]]),
    pattern(
        Signal::GitHost,
        &["insteadof", "pushinsteadof", "--push", "pushurl"],
        r"(?i-u)(?:\burl\.[\x22']?[^\s\x22']{4,160}[\x22']?\.(?:push)?insteadof\b[^\n]{0,160}|\[url\s+\x22[^\x22\n]{4,160}\x22\]\s*\n\s*(?:push)?insteadof\s*=[^\n]{0,120}|\bgit[\x22',\s\[]{1,6}remote[\x22',\s]{1,6}set-url[\x22',\s]{1,6}(?:--add[\x22',\s]{1,6})?--push[\x22',\s][^\n]{8,200}|\bremote\.[\w$-]{1,40}\.pushurl[\x22',\s=][^\n]{8,200})",
    ),
    pattern(
        Signal::TrustStore,
        &[
            "update-ca-",
            "add-trusted-cert",
            "-addstore",
            "import-certificate",
            "trust anchor",
            "cacerts",
            "extra_ca_certs",
            "ca_bundle",
            "ssl_cert_file",
            "ssl_cainfo",
            "sslcainfo",
            "set cafile",
        ],
        r"(?i-u)(?:\bupdate-ca-(?:certificates|trust)\b|\badd-trusted-cert\b|-addstore\s[^\n]{0,24}\broot\b|\bimport-certificate\b[^\n]{0,200}\broot\b|\btrust\s+anchor\s|-import(?:cert)?\b[^\n]{0,160}\bcacerts\b|\bnode_extra_ca_certs\b|\b(?:requests|curl|aws)_ca_bundle\b|\bssl_cert_file\b|\bgit_ssl_cainfo\b|\bhttp\.sslcainfo\b|\bset\s+cafile\b)",
    ),
    pattern(
        Signal::Resolver,
        &[
            "setdnsservers",
            "dnsclientserveraddress",
            "nameserver",
            "resolvectl dns",
            "netsh ",
            "ipv4.dns",
        ],
        r"(?i-u)(?:-setdnsservers\s[^\n]{0,120}|\bset-dnsclientserveraddress\b[^\n]{0,200}|\bnameserver\s+\d[^\n]{0,80}|\bresolvectl\s+dns\s[^\n]{0,120}|\bnetsh\s[^\n]{0,80}\bdns(?:servers?)?\s[^\n]{0,120}|\bipv4\.dns\s[^\n]{0,80})",
    ),
];
