// The playground in a browser: it works with the keyboard, on a phone, in dark mode and without a network, and hostile
// skills and links do no harm. $PLAYGROUND is the folder of the page; without its engine, the tests are skipped. $SKC
// is the program whose results the engine must match.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { chromium } from "playwright-core";

const { CHROMIUM, PLAYGROUND = "", SHOTS, SKC = "" } = process.env;

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const TYPES = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

const WIDE = { width: 1200, height: 900 };
const PHONE = { width: 390, height: 844 };

/**
 * Added to the worker of the faulty page. Makes the worker fail or hang on a request that contains one of these words.
 */
const FAULTS = `
const whole = onmessage;
onmessage = (event) => {
  const { request } = event.data;
  if (request.includes("HANG")) for (;;);
  if (request.includes("THROW")) {
    setTimeout(() => {
      throw new Error("outside of a request");
    });
    return;
  }
  // An engine that cannot be started, or whose code fails, throws while it handles the request.
  whole(request.includes("TRAP") ? { data: { ...event.data, module: {} } } : event);
};
`;

const RULE_PAGES = new URL("../../docs/src/reference/rules/", import.meta.url);

const skip = existsSync(join(PLAYGROUND, "playground.wasm")) ? false : "the engine could not be compiled here";

let server;
let browser;
let address;
let faulty;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const isIndex = pathname.endsWith("/");
    const file = join(PLAYGROUND, isIndex ? "index.html" : basename(pathname));
    const isFaulty = pathname.startsWith("/book/faulty/");
    if (!(isFaulty || pathname.startsWith("/book/playground/")) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", TYPES[file.slice(file.lastIndexOf("."))]);
    const content = readFileSync(file);
    response.end(isFaulty && basename(file) === "worker.js" ? `${content}${FAULTS}` : content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/book/playground/`;
  faulty = new URL("../faulty/", address).href;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens the page, and records its requests and its errors. */
async function open(fragment = "", { viewport = WIDE, colorScheme = "light", at = address } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, permissions: ["clipboard-write"] });
  const page = await context.newPage();
  const seen = { requests: [], complaints: [] };
  context.on("request", (request) => seen.requests.push(request.url()));
  page.on("console", (message) => seen.complaints.push(message.text()));
  page.on("pageerror", (error) => seen.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    seen.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(at + fragment);
  await page.waitForSelector("body[data-ready]");
  return { page, context, ...seen };
}

/** Changes the skill with `act`, and waits for the new findings. */
async function answered(page, act) {
  const before = await page.evaluate(() => Number(document.body.dataset.answered ?? 0));
  await act();
  await page.waitForFunction((count) => Number(document.body.dataset.answered) > count, before);
}

/** Returns the rule code of each listed finding. */
const codes = (page) =>
  page.$$eval("#findings li", (all) => all.map((one) => one.querySelector("a, p span + span")?.textContent.split(" ")[0]));

const fragmentOf = (state) => {
  const text = typeof state === "string" ? state : JSON.stringify(state);
  return `#z=${deflateRawSync(text).toString("base64url")}`;
};

const MAIN = "---\nname: forms\ndescription: Fills in forms. Use when a user has a form.\n---\n\n# Forms\n\n### Deep\n";

const state = (more = {}) => ({ name: "forms", files: { "SKILL.md": MAIN }, ...more });

/** Makes the page give up on its next request after one second instead of ten. */
const hurry = (page) =>
  page.evaluate(() => {
    const usual = window.setTimeout;
    window.setTimeout = (run, wait) => {
      if (wait !== 10_000) return usual(run, wait);
      window.setTimeout = usual;
      return usual(run, 1_000);
    };
  });

const notice = (page) => page.locator("#notice").textContent();

describe("the playground", { skip }, () => {
  test("asks only its own host, and nothing once it is loaded", async () => {
    const { page, context, requests, complaints } = await open();
    const loaded = requests.length;
    assert.deepEqual(requests.filter((url) => !url.startsWith(address)), []);
    await context.setOffline(true);
    await answered(page, () => page.selectOption("#client", "codex"));
    await answered(page, () => page.locator("#text").pressSequentially("x"));
    await answered(page, () => page.click("#fix"));
    await page.click("#share");
    await page.waitForSelector("#link:not([hidden])");
    assert.equal(requests.length, loaded);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test("shows the findings of the text in the list, in the margin and in the text", async () => {
    const { page, context } = await open(fragmentOf(state()));
    assert.deepEqual(await codes(page), ["SKL205"]);
    assert.equal(await page.locator("#gutter .warning").textContent(), "8");
    assert.equal(await page.locator("#marks mark").textContent(), "### Deep");
    const mark = await page.locator("#marks mark").boundingBox();
    const text = await page.locator("#text").boundingBox();
    assert.ok(Math.abs(mark.x - text.x - 8) < 1 && mark.y - text.y < 160, JSON.stringify([mark, text]));
    const link = await page.locator("#findings a").getAttribute("href");
    assert.equal(link, "../reference/rules/SKL205.html");
    assert.match(await page.locator("#tabs [aria-selected=true]").textContent(), /^SKILL.md \(1\)$/);
    await context.close();
  });

  test("shows the findings within 100 ms of a keystroke in a file of 5 KB", async () => {
    const prose = "Ask for the form, then fill in the fields that the user has named.\n".repeat(75);
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": `${MAIN}\n${prose}` } })));
    const times = await page.evaluate(async () => {
      const area = document.getElementById("text");
      const list = document.getElementById("findings");
      const times = [];
      for (let at = 0; at < 40; at += 1) {
        const done = new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            observer.disconnect();
            resolve();
          }).observe(list, { childList: true });
        });
        const begun = performance.now();
        area.setRangeText("a", area.value.length, area.value.length, "end");
        area.dispatchEvent(new Event("input", { bubbles: true }));
        await done;
        times.push(performance.now() - begun);
      }
      return times;
    });
    const sorted = [...times].sort((one, other) => one - other);
    const shown = `first ${times[0].toFixed(1)} ms, median ${sorted[20].toFixed(1)} ms, slowest ${sorted[39].toFixed(1)} ms`;
    console.log(shown);
    // One in ten may be slower, because other programs use the machine, too.
    assert.ok(sorted[35] <= 100, shown);
    await context.close();
  });

  test("works with the keyboard alone", async () => {
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": MAIN, "a.md": "# A\n" } })));
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const order = [];
    for (let at = 0; at < 16; at += 1) {
      await page.keyboard.press("Tab");
      order.push(await focused());
    }
    const wanted = ["name", "client", "preset", "folder", "some", "share", "tab-0", "text", "path", "Add", "remove", "fix"];
    assert.deepEqual(order.filter((id) => wanted.includes(id)), wanted);
    assert.equal(order[0], "Skip to the findings");

    await page.focus("#tab-0");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#text").inputValue(), "# A\n");
    await page.keyboard.press("End");
    assert.equal(await page.locator("#tabs [aria-selected=true]").textContent(), "Rule (Rhai)");
    await page.keyboard.press("Home");

    await page.getByRole("button", { name: /^Go to SKILL.md, line 8/ }).focus();
    await page.keyboard.press("Enter");
    const chosen = () => {
      const { value, selectionStart, selectionEnd } = document.getElementById("text");
      return value.slice(selectionStart, selectionEnd);
    };
    assert.equal(await page.evaluate(chosen), "### Deep");
    await answered(page, () => page.keyboard.type("## Deep"));
    assert.ok(!(await codes(page)).includes("SKL205"));
    // The Tab key leaves the text area.
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "path");
    await context.close();
  });

  test("tells a screen reader what happens", async () => {
    const { page, context } = await open(fragmentOf(state()));
    await page.getByRole("status").filter({ hasText: "0 errors, 1 warning" }).waitFor();
    await answered(page, () => page.getByRole("button", { name: "Apply safe fixes" }).click());
    await page.getByRole("status").filter({ hasText: "1 fixed. 0 errors, 0 warnings" }).waitFor();
    for (const [role, name] of [
      ["heading", "Findings"],
      ["tablist", "Files and rule"],
      ["tab", "SKILL.md"],
      ["tabpanel", "SKILL.md"],
      ["textbox", "Text of SKILL.md"],
      ["combobox", "Client"],
    ]) {
      assert.equal(await page.getByRole(role, { name }).count(), 1, `${role} ${name}`);
    }
    await context.close();
  });

  test("applies one fix or all of them, and takes them back", async () => {
    const text = `${MAIN}\nDone.\n\n##### Deeper\n`;
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": text } })));
    const fixes = page.getByRole("button", { name: /^Fix: / });
    const count = await fixes.count();
    assert.ok(count >= 2);
    await answered(page, () => fixes.last().click());
    assert.equal(await fixes.count(), count - 1);
    await answered(page, () => page.click("#undo"));
    assert.equal(await page.locator("#text").inputValue(), text);
    await answered(page, () => page.click("#fix-all"));
    assert.equal(await fixes.count(), 0);
    assert.ok(await page.locator("#fix").isDisabled());
    await context.close();
  });

  test("keeps the line ends of a file", async () => {
    const text = MAIN.replaceAll("\n", "\r\n");
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": text } })));
    await page.locator("#text").press("Control+End");
    await answered(page, () => page.keyboard.type("a"));
    await answered(page, () => page.keyboard.press("Enter"));
    await page.click("#share");
    const link = await page.locator("#address").inputValue();
    const { page: other, context: second } = await open(new URL(link).hash);
    await answered(other, () => other.click("#fix"));
    await other.click("#share");
    const shared = await other.evaluate(async () => {
      const text = location.hash.slice(3).replaceAll("-", "+").replaceAll("_", "/");
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      return new Response(stream).json();
    });
    assert.equal(shared.files["SKILL.md"], `${text.replace("###", "##")}a\r\n`);
    await Promise.all([context.close(), second.close()]);
  });

  test("checks for clients", async () => {
    const text = MAIN.replace("\n---\n\n", "\nmodel: opus\n---\n\n");
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": text } })));
    assert.ok(!(await codes(page)).some((code) => code.startsWith("CLT")));
    await answered(page, () => page.selectOption("#client", "codex"));
    assert.ok((await codes(page)).includes("CLT201"));
    await context.close();
  });

  test("runs a rule, shows its faults, and stops one that never ends", async () => {
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": `${MAIN}\nTODO\n` } })));
    await page.getByRole("tab", { name: "Rule (Rhai)" }).click();
    await answered(page, () => page.click("#example-rule"));
    assert.ok((await codes(page)).includes("TEAM001"));
    const rule = await page.locator("#text").inputValue();
    await answered(page, () => page.locator("#text").fill(rule.replace("for todo", "fro todo")));
    assert.match(await page.locator("#findings li").first().textContent(), /^error rule\.rhai:\d+:\d+/);
    assert.equal(await page.locator("#gutter .error").count(), 1);
    assert.ok((await codes(page)).includes("SKL205"));
    const endless = rule.replace(/for todo[^}]*\}/, "loop { }");
    await answered(page, () => page.locator("#text").fill(endless));
    assert.ok((await codes(page)).includes("CFG201"));
    await context.close();
  });

  for (const [word, said] of [
    ["TRAP", /^The engine was stopped: TypeError/],
    ["THROW", /^The engine was stopped: the worker failed$/],
    ["HANG", /^The engine was stopped: no result after 10 seconds$/],
  ]) {
    test(`says that the engine was stopped, and starts it again (${word})`, async () => {
      const { page, context } = await open(fragmentOf(state()), { at: faulty });
      const text = page.locator("#text");
      // In the second round, the engine in use is already the replacement of a stopped engine.
      for (let round = 0; round < 2; round += 1) {
        if (word === "HANG") await hurry(page);
        await answered(page, () => text.fill(`${MAIN}\n${word}\n`));
        assert.match(await notice(page), said);
        assert.deepEqual(await codes(page), []);
        assert.ok(await page.locator("#fix").isDisabled());
        await page.getByRole("status").filter({ hasText: "No result." }).waitFor();
        await answered(page, () => text.fill(MAIN));
        assert.equal(await notice(page), "");
        assert.deepEqual(await codes(page), ["SKL205"]);
      }
      await answered(page, () => page.click("#fix"));
      assert.deepEqual(await codes(page), []);
      await context.close();
    });
  }

  test("answers what was changed while the engine hung", async () => {
    const { page, context } = await open(fragmentOf(state()), { at: faulty });
    const text = page.locator("#text");
    await hurry(page);
    await answered(page, async () => {
      await text.fill(`${MAIN}\nHANG\n`);
      await text.fill(`${MAIN}\n### Deeper\n`);
    });
    await page.waitForFunction(() => document.getElementById("notice").textContent === "");
    assert.ok((await codes(page)).includes("SKL205"));
    await context.close();
  });

  test("opens a folder, and reads the skill in it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "playground-"));
    mkdirSync(join(folder, "top/my-skill/docs"), { recursive: true });
    mkdirSync(join(folder, "top/.git"));
    writeFileSync(join(folder, "top/my-skill/SKILL.md"), MAIN);
    writeFileSync(join(folder, "top/my-skill/docs/a.md"), "# A\n");
    writeFileSync(join(folder, "top/my-skill/a.png"), Buffer.from([137, 80, 78, 71, 0, 255]));
    writeFileSync(join(folder, "top/.git/HEAD"), "ref\n");
    writeFileSync(join(folder, "top/README.md"), "# Not of the skill\n");
    const { page, context } = await open();
    await answered(page, () => page.setInputFiles("#folder", join(folder, "top")));
    rmSync(folder, { recursive: true });
    assert.equal(await page.locator("#name").inputValue(), "my-skill");
    const names = (await page.getByRole("tab").allTextContents()).map((name) => name.replace(/ \(\d+\)$/, ""));
    assert.deepEqual(names, ["SKILL.md", "a.png", "docs/a.md", "Rule (Rhai)"]);
    assert.ok((await codes(page)).includes("SKL104"), String(await codes(page)));
    await page.getByRole("tab", { name: /a.png/ }).click();
    assert.equal(await page.locator("#text").evaluate((area) => area.readOnly), true);
    await context.close();
  });

  test("reads a dropped folder", async () => {
    const { page, context } = await open();
    await answered(page, () =>
      page.evaluate((main) => {
        const file = (fullPath, text) => ({
          isFile: true,
          fullPath,
          file: (done) => done(new File([text], "a")),
        });
        const folder = (name, parts) => ({
          isDirectory: true,
          name,
          createReader: () => ({ readEntries: (done) => done(parts.splice(0, 1)) }),
        });
        const parts = [file("/forms/SKILL.md", main), folder(".git", [file("/forms/.git/HEAD", "")])];
        const top = folder("forms", [...parts, file("/forms/b.md", "# B\n")]);
        const event = new Event("drop", { bubbles: true, cancelable: true });
        event.dataTransfer = { items: [{ webkitGetAsEntry: () => top }] };
        document.body.dispatchEvent(event);
      }, MAIN),
    );
    const names = (await page.getByRole("tab").allTextContents()).map((name) => name.replace(/ \(\d+\)$/, ""));
    assert.deepEqual(names, ["SKILL.md", "b.md", "Rule (Rhai)"]);
    await context.close();
  });

  test("adds and removes files", async () => {
    const { page, context } = await open(fragmentOf(state()));
    await page.fill("#path", "docs/b.md");
    await answered(page, () => page.keyboard.press("Enter"));
    await answered(page, () => page.keyboard.type("# B\n\n### C\n"));
    await page.waitForFunction(() => /^docs\/b\.md \([23]\)$/.test(document.querySelector("#tabs [aria-selected=true]").textContent));
    await page.fill("#path", "docs/b.md");
    await page.keyboard.press("Enter");
    assert.match(await notice(page), /already/);
    await answered(page, () => page.click("#remove"));
    assert.equal(await page.getByRole("tab").count(), 2);
    // Without a SKILL.md there is nothing to lint.
    await answered(page, () => page.click("#remove"));
    assert.match(await notice(page), /SKILL\.md/);
    await context.close();
  });

  test("shares a skill with all its settings", async () => {
    const files = { "SKILL.md": MAIN, "a.bin": { base64: "AP8=" }, "é/日本.md": "# 😀\n" };
    const { page, context } = await open(fragmentOf(state({ files, client: "codex", preset: "strict", script: "1" })));
    await page.click("#share");
    await page.waitForSelector("#link:not([hidden])");
    const { page: other, context: second } = await open(new URL(page.url()).hash);
    const shown = (of) => Promise.all([of.locator("main").innerText(), of.locator("#client").inputValue()]);
    await page.locator("#link").evaluate((link) => {
      link.hidden = true;
    });
    const said = (of) => of.getByRole("status").filter({ hasText: /errors?, / }).waitFor();
    await answered(page, () => page.selectOption("#preset", "strict"));
    await Promise.all([said(page), said(other)]);
    assert.deepEqual(await shown(other), await shown(page));
    await Promise.all([context.close(), second.close()]);
  });

  test("treats names, texts and messages as text", async () => {
    const hostile = "<img src=x onerror=alert(1)>.md";
    const script = '/// Reports a.\nrule(#{ code: "TEAM001", name: "a", severity: "error", check_skill: |s, o| o.add("<b>x</b><script>alert(2)</script>") });';
    const files = {
      "SKILL.md": `${MAIN}\n[a](<b>.md)\n`,
      [hostile]: "<script>alert(3)</script>\n\n### <i>a</i>\n",
      "proto.md": "a",
      "\u202egnp.exe": "a",
    };
    const text = JSON.stringify(state({ name: "<b>n<i>", files, script })).replace('"proto.md"', '"__proto__"');
    const { page, context, complaints } = await open(fragmentOf(text));
    for (const tab of await page.getByRole("tab").all()) await tab.click();
    assert.equal(await page.locator("img, main b, main i, main script, iframe").count(), 0);
    assert.ok((await page.getByRole("tab").allTextContents()).some((name) => name.startsWith(hostile)));
    assert.deepEqual(complaints, []);
    assert.ok(await page.locator("#findings").textContent());
    await context.close();
  });

  test("runs no script that is put into it", async () => {
    const { page, context } = await open();
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'ran'";
      document.body.append(script);
      return document.title === "ran";
    });
    assert.equal(ran, false);
    await context.close();
  });

  test("refuses paths out of the skill, and what is too large", async () => {
    const { page, context } = await open(fragmentOf(state({ files: { "SKILL.md": MAIN, "../../a": "a" } })));
    assert.match(await notice(page), /\.\.\/\.\.\/a/);
    const file = (name, size) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(size, "a") });
    await page.setInputFiles("#some", [file("SKILL.md", 10), file("a.txt", 5 << 20)]);
    await page.waitForFunction(() => /4 MiB/.test(document.getElementById("notice").textContent));
    await page.setInputFiles("#some", [file("a.md", 10)]);
    await page.waitForFunction(() => /no SKILL.md/.test(document.getElementById("notice").textContent));
    await page.setInputFiles("#some", Array.from({ length: 1001 }, (_, at) => file(at ? `${at}.md` : "SKILL.md", 1)));
    await page.waitForFunction(() => /1000 files/.test(document.getElementById("notice").textContent));
    const random = Array.from({ length: 60_000 }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join("");
    await answered(page, () => page.setInputFiles("#some", [{ name: "SKILL.md", mimeType: "", buffer: Buffer.from(MAIN + random) }]));
    await page.click("#share");
    await page.waitForFunction(() => /too large for a link/.test(document.getElementById("notice").textContent));
    await context.close();
  });

  test("survives forged links", async () => {
    const bomb = `#z=${deflateRawSync(Buffer.alloc(20 << 20)).toString("base64url")}`;
    for (const fragment of [
      "#z=",
      "#z=%%%",
      "#z=AAAA",
      `#z=${"A".repeat(200_000)}`,
      bomb,
      fragmentOf("null"),
      fragmentOf("[]"),
      fragmentOf({ name: 1, files: {} }),
      fragmentOf(state({ files: { "SKILL.md": 7 } })),
      fragmentOf(state({ files: { "SKILL.md": null } })),
      fragmentOf(state({ select: [{}] })),
      "#rule=NOPE",
      "#rule=__proto__",
    ]) {
      const { page, context, complaints } = await open(fragment);
      assert.match(await notice(page), /damaged/, fragment.slice(0, 40));
      assert.ok((await codes(page)).length > 0);
      assert.deepEqual(complaints, []);
      await context.close();
    }
    const { page, context } = await open(fragmentOf(state({ client: "unknown", preset: "none", select: ["NOPE1"] })));
    assert.match(await notice(page), /NOPE1/);
    assert.equal(await page.locator("#client").inputValue(), "");
    await context.close();
  });

  test("has an example for each rule page that links to it", async () => {
    const { page, context } = await open();
    const examples = JSON.parse(readFileSync(join(PLAYGROUND, "examples.json"), "utf8"));
    const linked = readdirSync(RULE_PAGES).filter((name) => {
      const code = name.replace(".md", "");
      return readFileSync(new URL(name, RULE_PAGES), "utf8").includes(`../../playground/index.html#rule=${code}`);
    });
    assert.deepEqual(linked, Object.keys(examples).sort().map((code) => `${code}.md`));
    const silent = [];
    for (const code of Object.keys(examples)) {
      await answered(page, () => page.evaluate((hash) => (location.hash = hash), `#rule=${code}`));
      if (!(await codes(page)).includes(code)) silent.push(code);
    }
    assert.deepEqual(silent, []);
    await context.close();
  });

  for (const viewport of [WIDE, PHONE, { width: 320, height: 600 }]) {
    test(`is no wider than a window of ${viewport.width} pixels`, async () => {
      const long = `${"long-".repeat(40)}name.md`;
      const files = { "SKILL.md": `${MAIN}\n[a](${"b".repeat(300)}.md)\n`, [long]: "# A\n", "c.md": "# C\n" };
      const { page, context } = await open(fragmentOf(state({ files })), { viewport });
      await page.click("#share");
      await page.waitForSelector("#link:not([hidden])");
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= viewport.width, `${width}`);
      await context.close();
    });
  }

  test("is legible in light and dark mode, and can be looked at", async () => {
    for (const colorScheme of ["light", "dark"]) {
      for (const [viewport, name] of [
        [WIDE, "wide"],
        [PHONE, "phone"],
      ]) {
        const { page, context } = await open("", { colorScheme, viewport });
        await page.getByRole("status").filter({ hasText: /errors?, / }).waitFor();
        const pairs = await page.evaluate(() => {
          const of = (selector, property) => getComputedStyle(document.querySelector(selector))[property];
          const paper = of("body", "backgroundColor");
          const shown = [".severity", ".help", ".place", "a", "#text", "header p"];
          const colors = shown.filter((one) => document.querySelector(one)).map((one) => [one, of(one, "color"), paper]);
          return [...colors, ["gutter", of("#gutter", "color"), of("#gutter", "backgroundColor")]];
        });
        for (const [what, ink, paper] of pairs) assert.ok(contrast(ink, paper) >= 4.5, `${colorScheme} ${what} ${ink}`);
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `playground-${name}-${colorScheme}.png`), fullPage: true });
        await context.close();
      }
    }
  });
});

describe("the engine of the playground", { skip }, () => {
  test("finds what the program finds", { skip: existsSync(SKC) ? false : "there is no skc" }, async () => {
    const module = await WebAssembly.compile(readFileSync(join(PLAYGROUND, "playground.wasm")));
    const engine = (await WebAssembly.instantiate(module, {})).exports;
    engine.__wasm_call_ctors();
    const ask = (request) => {
      const bytes = Buffer.from(request && JSON.stringify(request));
      // The memory may move when it grows.
      const address = engine.request(bytes.length);
      new Uint8Array(engine.memory.buffer).set(bytes, address);
      const size = engine.answer();
      return JSON.parse(Buffer.from(engine.memory.buffer, engine.response(), size).toString());
    };
    const { clients } = ask("");
    const folder = mkdtempSync(join(tmpdir(), "playground-"));
    const home = join(folder, "home");
    const differ = [];
    const examples = JSON.parse(readFileSync(join(PLAYGROUND, "examples.json"), "utf8"));
    for (const [code, { name, files, select, preset, client }] of Object.entries(examples)) {
      const skill = join(folder, code, name);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(skill, path)), { recursive: true });
        writeFileSync(join(skill, path), content.base64 ? Buffer.from(content.base64, "base64") : content);
      }
      const meant = client === "all" ? clients : [client].filter(Boolean);
      const answer = ask({ name, files, preset, extend_select: select, clients: meant });
      const options = ["--preset", preset, "--extend-select", select.join(",")];
      if (meant.length > 0) options.push("--client", meant.join(","));
      const run = spawnSync(SKC, ["lint", skill, "-o", "json", ...options], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: home, SKILLC_HOME: home },
      });
      const { diagnostics } = JSON.parse(run.stdout);
      try {
        assert.deepEqual(answer.report.diagnostics, diagnostics);
      } catch (error) {
        differ.push(`${code}: ${error.message}`);
      }
    }
    rmSync(folder, { recursive: true });
    assert.deepEqual(differ, []);
  });
});

/** Returns the contrast of two colours as defined by the accessibility guidelines (WCAG). */
function contrast(one, other) {
  const luminance = (color) => {
    const [r, g, b] = color.match(/\d+/g).slice(0, 3).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
