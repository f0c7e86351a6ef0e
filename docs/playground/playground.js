// The page of the playground. The engine runs in a worker (worker.js); this module holds the skill, shows the findings,
// and reads dropped folders and links.
//
// File contents, names and messages are untrusted: they only ever become text nodes and values of inputs.

/** The limits of the engine, and of a link. */
const MAX_FILES = 1000;
const MAX_BYTES = 4 << 20;
const MAX_LINK = 32 << 10;
/**
 * The timeout of a request, in milliseconds. Scripts have no time limit of their own, because the engine has no clock.
 */
const MAX_TIME = 10_000;
/** The maximum numbers of marked characters in a line, of marks in a line, and of listed findings. */
const MAX_MARKED = 2000;
const MAX_MARKS = 200;
const MAX_LISTED = 500;
/** The pause in typing after which a screen reader announces the number of findings, in milliseconds. */
const REST = 700;

const RULE = "rule.rhai";

const EXAMPLE = {
  name: "release-notes",
  files: {
    "SKILL.md": `---
name: release-notes
description: Writes release notes. Use when a version is about to be published.
---

# Release notes

### Collect the changes

Run the script \`scripts/changes.sh\`, and read [the style guide](references/style.md).

TODO: say which changes to leave out.
`,
    "scripts/changes.sh": "#!/bin/sh\ngit log --oneline \"$1\"..HEAD\n",
    "references/style.md": "# Style\n\nWrite one sentence per change.\n",
  },
};

const EXAMPLE_RULE = `/// Reports a TODO that was left in.
rule(#{
    code: "TEAM001",
    name: "no-todo",
    severity: "warning",
    check_document: |doc, skill, out| {
        for todo in doc.find_prose(\`\\bTODO\\b:?[ \\t]*\`) {
            out.at(todo, "a TODO was left").fix("remove it", delete(todo));
        }
    },
});
`;

const byId = (id) => document.getElementById(id);

/** Returns a new element that contains a string. */
function element(name, text = "", properties = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  return Object.assign(made, properties);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the content of a file: a string, or base64 if it is not UTF-8. */
function contentOf(bytes) {
  try {
    const text = utf8.decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Not UTF-8.
  }
  return { base64: toBase64(bytes) };
}

function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(binary);
}

const isText = (content) => typeof content === "string";
const sizeOf = (content) => (isText(content) ? content.length : (content.base64.length * 3) / 4);

/** Returns the prevalent line ending of a string. The text area converts all line endings to "\n". */
function lineEnd(text) {
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  return windows * 2 > all ? "\r\n" : "\n";
}

const plain = (text) => text.replace(/\r\n?/g, "\n");

// The state. `files` maps paths to contents; `shown` is the path of the open file, or RULE_TAB.

const RULE_TAB = Symbol("rule");

let skill = { name: "", files: new Map(), script: "", select: [] };
let shown = "SKILL.md";
let answer = null;
let rules = new Map();
let clients = [];
let examples = new Map();
let before = null;

// The engine.

const WORKER = new URL("worker.js", import.meta.url);
const newWorker = () => new Worker(WORKER, { type: "module", name: "engine" });

let module;
let worker;
// A worker loads its script when it starts. Stopping a request terminates the worker, so the page keeps a spare one,
// which works even without a network.
let spare = newWorker();
let running = null;
let waiting = null;
let lastId = 0;

/** Sends a request. A waiting request is replaced by the new one, and resolves to null. */
function ask(request) {
  return new Promise((resolve) => {
    waiting?.resolve(null);
    waiting = { request, resolve };
    if (!running) next();
  });
}

function next() {
  if (!waiting) return;
  running = { ...waiting, id: ++lastId };
  waiting = null;
  const message = { id: running.id, request: running.request };
  if (!worker) {
    worker = spare;
    worker.onmessage = ({ data }) => finish(data);
    worker.onerror = () => finish({ id: running?.id, fault: "the worker failed" });
    spare = newWorker();
    message.module = module;
  }
  running.timer = setTimeout(
    () => finish({ id: running.id, fault: `no result after ${MAX_TIME / 1000} seconds` }),
    MAX_TIME,
  );
  worker.postMessage(message);
}

function finish({ id, response, fault, time }) {
  if (!running || id !== running.id) return;
  clearTimeout(running.timer);
  if (fault) {
    // After a failure, the engine's memory can no longer be trusted.
    worker.terminate();
    worker = null;
    // The same request would stop the next engine, too.
    if (waiting?.request === running.request) {
      waiting.resolve(null);
      waiting = null;
    }
  }
  const { resolve } = running;
  running = null;
  next();
  resolve(fault ? { error: `The engine was stopped: ${fault}` } : { ...JSON.parse(response), time });
}

async function read(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

async function loadEngine() {
  const reading = [read("playground.wasm"), read("examples.json")];
  const [engine, ofRules] = await Promise.all(reading);
  examples = new Map(Object.entries(await ofRules.json()));
  module = await WebAssembly.compile(await engine.arrayBuffer());
  const about = await ask("");
  if (about.error) throw new Error(about.error);
  rules = new Map(about.rules.map((rule) => [rule.code, rule]));
  byId("version").textContent = about.version;
  clients = about.clients;
  byId("client").append(...["all", ...clients].map((id) => element("option", id, { value: id })));
}

/** Returns a request about the skill, as JSON. */
function requestOf(more = {}) {
  const client = byId("client").value;
  return JSON.stringify({
    name: skill.name,
    files: Object.fromEntries(skill.files),
    preset: byId("preset").value,
    extend_select: skill.select,
    ...(client && { clients: client === "all" ? clients : [client] }),
    ...(skill.script.trim() && { script: skill.script }),
    ...more,
  });
}

async function lint() {
  if (!module) return;
  const found = await ask(requestOf());
  if (found) show(found);
}

async function fix(how) {
  before = new Map(skill.files);
  const found = await ask(requestOf({ fix: how }));
  if (!found) return;
  if (found.error) {
    show(found);
    return;
  }
  const { texts, fixed, refused } = found.fixes;
  for (const [path, text] of Object.entries(texts)) skill.files.set(path, text);
  const said = [`${fixed} fixed`];
  for (const { rule, file, line, reason } of refused) {
    said.push(`${rule} in ${file ?? "SKILL.md"}:${line} is not fixed: ${reason}`);
  }
  byId("undo").disabled = false;
  openFile(shown);
  show(found);
  say(`${said.join("; ")}. ${summaryOf(found)}`);
}

// The findings.

function summaryOf(found) {
  const { error_count: errors, warning_count: warnings } = found.report;
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `${count(errors, "error")}, ${count(warnings, "warning")}`;
}

let announcement;

/**
 * Announces a status to screen readers; with `rest`, only after no other status has followed for this many
 * milliseconds.
 */
function say(text, rest = 0) {
  clearTimeout(announcement);
  announcement = setTimeout(() => {
    if (byId("summary").textContent !== text) byId("summary").textContent = text;
  }, rest);
}

const notify = (text) => {
  byId("notice").textContent = text;
};

function show(found) {
  answer = found.error ? null : found;
  document.body.dataset.answered = String(Number(document.body.dataset.answered ?? 0) + 1);
  document.body.dataset.time = String(found.time ?? "");
  notify(found.error ?? "");
  const findings = (answer?.report.diagnostics ?? []).map((of, at) => ({ ...of, ...answer.details[at], at }));
  const list = findings.slice(0, MAX_LISTED).map(item);
  if (answer?.script) list.unshift(scriptItem(answer.script));
  if (findings.length > MAX_LISTED) {
    list.push(element("li", `${findings.length - MAX_LISTED} more findings are not listed.`));
  }
  keepFocus(() => byId("findings").replaceChildren(...list));
  const fixable = (kinds) => findings.some((of) => kinds.includes(of.fixable));
  byId("fix").disabled = !fixable(["safe"]);
  byId("fix-all").disabled = !fixable(["safe", "unsafe"]);
  if (answer) say(summaryOf(answer), REST);
  else say("No result.", REST);
  draw();
  labelTabs(findings);
}

/**
 * Replaces the list of findings. The focused button keeps the focus; if the button no longer exists, the heading gets
 * it.
 */
function keepFocus(replace) {
  const old = document.activeElement;
  const within = byId("findings").contains(old);
  const key = within ? old.dataset.key : null;
  replace();
  if (!within) return;
  const again = [...byId("findings").querySelectorAll("button")].find((one) => one.dataset.key === key);
  (again ?? byId("findings-heading")).focus();
}

function item(finding) {
  const made = element("li", "", { className: finding.severity });
  const head = element("p");
  head.append(element("span", finding.severity, { className: "severity" }), " ", ruleName(finding), " ");
  const place = element("button", `${finding.file}:${finding.line}:${finding.column}`, {
    type: "button",
    className: "place",
    onclick: () => goTo(finding.file, finding),
  });
  place.dataset.key = `place ${finding.at}`;
  place.setAttribute("aria-label", `Go to ${finding.file}, line ${finding.line}: ${finding.message}`);
  head.append(place);
  made.append(head, element("p", finding.message));
  if (finding.help) made.append(element("p", `help: ${finding.help}`, { className: "help" }));
  if (finding.fixable) {
    const review = finding.fixable === "unsafe" ? " (needs review)" : "";
    const button = element("button", `Fix: ${finding.fix ?? "apply"}${review}`, {
      type: "button",
      onclick: () => fix({ one: finding.at }),
    });
    button.dataset.key = `fix ${finding.at}`;
    const line = element("p");
    line.append(button);
    made.append(line);
  }
  return made;
}

/** Returns the name of a rule. For a built-in rule, the name is a link to the rule's page. */
function ruleName({ rule, name }) {
  const text = `${rule} ${name}`;
  if (!rules.has(rule)) return element("span", text);
  return element("a", text, { href: `../reference/rules/${rule}.html` });
}

function scriptItem({ message, line, column }) {
  const made = element("li", "", { className: "error" });
  const place = line ? `:${line}:${column}` : "";
  const button = element("button", `${RULE}${place}`, {
    type: "button",
    className: "place",
    onclick: () => goTo(RULE_TAB, { line: line ?? 1, column: column ?? 1 }),
  });
  button.dataset.key = "script";
  const head = element("p");
  head.append(element("span", "error", { className: "severity" }), " ", button);
  made.append(head, element("p", message));
  return made;
}

/**
 * Returns the offset of a line and a column in the text area. The column counts characters rather than UTF-16 units.
 */
function offsetOf(text, line, column) {
  let at = 0;
  for (let left = line - 1; left > 0; left -= 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  const rest = text.indexOf("\n", at);
  const whole = text.slice(at, rest < 0 ? text.length : rest);
  return at + unitsOf(whole, column - 1);
}

/** Returns the length of a string's first characters, in UTF-16 units. */
function unitsOf(text, characters) {
  let units = 0;
  for (const character of text) {
    if (characters-- <= 0) break;
    units += character.length;
  }
  return units;
}

function goTo(path, { line, column, end_line: endLine, end_column: endColumn }) {
  if (path !== RULE_TAB && !skill.files.has(path)) return;
  openFile(path);
  const area = byId("text");
  const start = offsetOf(area.value, line, column);
  const end = endLine ? offsetOf(area.value, endLine, endColumn) : start;
  area.focus();
  area.setSelectionRange(start, Math.max(start, end));
  area.scrollTop = Math.max(0, (line - 4) * rowHeight());
  draw();
}

// The editor: a text area, with marks below it and line numbers beside it. Only the visible marks and numbers exist.

const rowHeight = () => Number.parseFloat(getComputedStyle(byId("text")).lineHeight);

function marksOfShown() {
  const marks = new Map();
  const add = (line, mark) => {
    const own = marks.get(line) ?? [];
    if (own.length < MAX_MARKS) own.push(mark);
    marks.set(line, own);
  };
  if (shown === RULE_TAB) {
    const { line, column, message } = answer?.script ?? {};
    if (line) add(line, { severity: "error", from: column, to: column + 1, message });
    return marks;
  }
  for (const [at, of] of (answer?.report.diagnostics ?? []).entries()) {
    if (of.file !== shown) continue;
    const detail = answer.details[at];
    const to = detail.end_line === of.line ? detail.end_column : Infinity;
    add(of.line, { severity: of.severity, from: of.column, to, message: of.message });
  }
  return marks;
}

function draw() {
  const area = byId("text");
  const height = rowHeight();
  const lines = area.value.split("\n");
  const marks = marksOfShown();
  const first = Math.max(0, Math.floor(area.scrollTop / height));
  const last = Math.min(lines.length, first + Math.ceil(area.clientHeight / height) + 1);
  const numbers = [];
  const layers = [];
  byId("gutter").style.width = `${String(lines.length).length + 4}ch`;
  for (let row = first; row < last; row += 1) {
    const top = `${row * height - area.scrollTop}px`;
    const own = marks.get(row + 1) ?? [];
    const number = element("div", String(row + 1));
    number.style.top = top;
    if (own.length > 0) {
      number.className = own.some((of) => of.severity === "error") ? "error" : "warning";
      number.title = own.map((of) => of.message).join("\n");
      const layer = markedLine(lines[row], own);
      layer.style.top = top;
      layer.style.transform = `translateX(${-area.scrollLeft}px)`;
      layers.push(layer);
    }
    numbers.push(number);
  }
  byId("gutter").replaceChildren(...numbers);
  byId("marks").replaceChildren(...layers);
}

/** Returns a line as invisible text with visible marks. Where marks overlap, the first one takes precedence. */
function markedLine(line, marks) {
  const made = element("div");
  const text = line.slice(0, MAX_MARKED);
  let at = 0;
  for (const { severity, from, to } of [...marks].sort((a, b) => a.from - b.from)) {
    const start = Math.max(at, unitsOf(text, from - 1));
    const end = Math.max(start, unitsOf(text, to - 1));
    if (end === start) continue;
    made.append(text.slice(at, start), element("mark", text.slice(start, end), { className: severity }));
    at = end;
  }
  return made;
}

// The tabs.

const tabs = () => [...skill.files.keys(), RULE_TAB];
const tabName = (tab) => (tab === RULE_TAB ? "Rule (Rhai)" : tab);

function drawTabs() {
  const made = tabs().map((tab, at) => {
    const button = element("button", tabName(tab), { type: "button", id: `tab-${at}`, onclick: () => openFile(tab) });
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", "panel");
    button.dataset.at = String(at);
    return button;
  });
  byId("tabs").replaceChildren(...made);
}

function labelTabs(findings) {
  const counts = new Map();
  for (const { file } of findings) counts.set(file, (counts.get(file) ?? 0) + 1);
  const all = tabs();
  for (const button of byId("tabs").children) {
    const tab = all[Number(button.dataset.at)];
    const count = tab === RULE_TAB ? Number(Boolean(answer?.script)) : (counts.get(tab) ?? 0);
    button.textContent = count > 0 ? `${tabName(tab)} (${count})` : tabName(tab);
  }
}

/** Opens a file, or the rule, in the editor. */
function openFile(tab) {
  const all = tabs();
  shown = all.includes(tab) ? tab : all[0];
  for (const button of byId("tabs").children) {
    const isShown = all[Number(button.dataset.at)] === shown;
    button.setAttribute("aria-selected", String(isShown));
    button.tabIndex = isShown ? 0 : -1;
    if (isShown) {
      button.scrollIntoView({ block: "nearest", inline: "nearest" });
      byId("panel").setAttribute("aria-labelledby", button.id);
    }
  }
  const isRule = shown === RULE_TAB;
  const content = isRule ? skill.script : skill.files.get(shown);
  const area = byId("text");
  const text = isText(content) ? plain(content) : "(a binary file)";
  // Assigning the value moves the cursor, even if the text stays the same.
  if (area.value !== text) area.value = text;
  area.readOnly = !isText(content);
  area.setAttribute("aria-label", isRule ? "Rule in Rhai" : `Text of ${shown}`);
  byId("rule-help").hidden = !isRule;
  byId("remove").disabled = isRule;
  draw();
}

function onTabKey(event) {
  const buttons = [...byId("tabs").children];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const target = (to + buttons.length) % buttons.length;
  openFile(tabs()[target]);
  byId("tabs").children[target].focus();
}

function onInput() {
  const { value } = byId("text");
  if (shown === RULE_TAB) {
    skill.script = value;
  } else {
    const end = lineEnd(skill.files.get(shown));
    skill.files.set(shown, end === "\n" ? value : value.replaceAll("\n", end));
    // Undoing the fix would now discard the user's later edits.
    byId("undo").disabled = true;
  }
  lint();
  draw();
}

// Other skills.

/** Replaces the skill. */
function load({ name, files, script = "", select = [], client = "", preset = "recommended" }) {
  const sorted = Object.entries(files).sort(([one], [other]) => {
    const isMain = (path) => Number(path !== "SKILL.md");
    return isMain(one) - isMain(other) || (one < other ? -1 : 1);
  });
  skill = { name, files: new Map(sorted), script, select };
  before = null;
  byId("undo").disabled = true;
  byId("name").value = name;
  byId("client").value = client;
  if (byId("client").selectedIndex < 0) byId("client").value = "";
  byId("preset").value = preset;
  if (byId("preset").selectedIndex < 0) byId("preset").value = "recommended";
  answer = null;
  drawTabs();
  openFile(sorted[0]?.[0]);
  notify("");
  return lint();
}

/** Loads a skill from pairs of a path and a file. The skill is the folder with the least deeply nested SKILL.md. */
async function loadFiles(pairs) {
  const depth = (path) => path.split("/").length;
  const mains = pairs.map(([path]) => path).filter((path) => /(^|\/)skill\.md$/i.test(path));
  const main = mains.sort((one, other) => depth(one) - depth(other))[0];
  if (main === undefined) throw new Error("There is no SKILL.md in what you opened.");
  const folder = main.slice(0, main.length - "SKILL.md".length);
  const own = pairs.filter(([path]) => path.startsWith(folder));
  if (own.length > MAX_FILES) throw new Error(`The skill has more than ${MAX_FILES} files.`);
  if (own.reduce((sum, [, file]) => sum + file.size, 0) > MAX_BYTES) {
    throw new Error(`The skill is larger than ${MAX_BYTES >> 20} MiB.`);
  }
  const files = {};
  for (const [path, file] of own) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    Object.defineProperty(files, path.slice(folder.length), { value: contentOf(bytes), enumerable: true });
  }
  const name = folder.split("/").at(-2) ?? skill.name;
  await load({ name, files });
}

/** Lists the files in dropped entries. The .git folder is not part of a skill. */
async function walk(entries) {
  const pairs = [];
  const queue = [...entries];
  while (queue.length > 0) {
    const entry = queue.pop();
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      pairs.push([entry.fullPath.replace(/^\//, ""), file]);
    } else if (entry.isDirectory && entry.name !== ".git") {
      const reader = entry.createReader();
      let part;
      do {
        part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        queue.push(...part);
      } while (part.length > 0 && queue.length <= 20 * MAX_FILES);
    }
    if (pairs.length > 20 * MAX_FILES) throw new Error("There are too many files in what you opened.");
  }
  return pairs;
}

/** Runs a function, and shows the error if it fails. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    notify(error.message);
  }
}

function onPicked({ target }) {
  const pairs = [...target.files].map((file) => [file.webkitRelativePath || file.name, file]);
  const own = pairs.filter(([path]) => !/(^|\/)\.git\//.test(path));
  attempt(() => loadFiles(own));
}

function onDrop(event) {
  event.preventDefault();
  const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  attempt(async () => loadFiles(await walk(items)));
}

function addFile(event) {
  event.preventDefault();
  const path = byId("path").value.trim();
  if (!path || skill.files.has(path)) {
    notify(path ? `There is already a file '${path}'.` : "Give the new file a name.");
    return;
  }
  skill.files.set(path, "");
  byId("path").value = "";
  drawTabs();
  openFile(path);
  byId("text").focus();
  lint();
}

function removeFile() {
  skill.files.delete(shown);
  drawTabs();
  openFile("SKILL.md");
  byId("tabs").querySelector("[aria-selected=true]").focus();
  lint();
}

// Links. The fragment holds the skill, so that it is never sent to a server.

async function throughStream(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("too large");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function share() {
  const state = {
    name: skill.name,
    files: Object.fromEntries(skill.files),
    script: skill.script,
    select: skill.select,
    client: byId("client").value,
    preset: byId("preset").value,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await throughStream(bytes, new CompressionStream("deflate-raw"), Infinity);
  const text = toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (text.length > MAX_LINK) {
    throw new Error(`The skill is too large for a link: ${text.length >> 10} KiB of at most ${MAX_LINK >> 10} KiB.`);
  }
  history.replaceState(null, "", `#z=${text}`);
  byId("link").hidden = false;
  byId("address").value = location.href;
  byId("address").select();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("Copy the link from the field.");
  }
}

async function unpacked(text) {
  if (text.length > 2 * MAX_LINK) throw new Error("too large");
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const json = await throughStream(bytes, new DecompressionStream("deflate-raw"), 2 * MAX_BYTES);
  return checked(JSON.parse(utf8.decode(json)));
}

/** Returns the skill from a link if its structure is valid. */
function checked(state) {
  const { name, files, script = "", select = [], client = "", preset = "recommended" } = state;
  const isContent = (of) => isText(of) || (typeof of === "object" && of !== null && isText(of.base64));
  const contents = Object.entries(files);
  const isRight =
    [name, script, client, preset].every(isText) &&
    Array.isArray(select) &&
    select.every(isText) &&
    contents.length > 0 &&
    contents.length <= MAX_FILES &&
    contents.every(([, content]) => isContent(content)) &&
    contents.reduce((sum, [, content]) => sum + sizeOf(content), 0) <= MAX_BYTES;
  if (!isRight) throw new Error("not a skill");
  return { name, files, script, select, client, preset };
}

/** Loads the skill that the URL's fragment specifies: a shared skill, or the example of a rule. */
async function loadFragment() {
  const { hash } = location;
  try {
    if (hash.startsWith("#z=")) {
      await load(await unpacked(hash.slice(3)));
      return;
    }
    if (hash.startsWith("#rule=")) {
      await load(checked(examples.get(hash.slice(6))));
      return;
    }
  } catch {
    await load(EXAMPLE);
    notify("The link is damaged. This is an example instead.");
    return;
  }
  await load(EXAMPLE);
}

// Listeners.

byId("text").addEventListener("input", onInput);
byId("text").addEventListener("scroll", draw);
new ResizeObserver(draw).observe(byId("text"));
byId("tabs").addEventListener("keydown", onTabKey);
byId("settings").addEventListener("submit", (event) => event.preventDefault());
byId("name").addEventListener("input", () => {
  skill.name = byId("name").value;
  lint();
});
byId("client").addEventListener("change", lint);
byId("preset").addEventListener("change", lint);
for (const id of ["folder", "some"]) byId(id).addEventListener("change", onPicked);
byId("share").addEventListener("click", () => attempt(share));
byId("new-file").addEventListener("submit", addFile);
byId("remove").addEventListener("click", removeFile);
byId("fix").addEventListener("click", () => fix("safe"));
byId("fix-all").addEventListener("click", () => fix("unsafe"));
byId("undo").addEventListener("click", () => {
  skill.files = before ?? skill.files;
  byId("undo").disabled = true;
  byId("findings-heading").focus();
  openFile(shown);
  lint();
});
byId("example-rule").addEventListener("click", () => {
  skill.script = EXAMPLE_RULE;
  openFile(RULE_TAB);
  byId("text").focus();
  lint();
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", onDrop);
addEventListener("hashchange", loadFragment);

await attempt(loadEngine);
if (module) await loadFragment();
else say("The engine could not be loaded.");
document.body.dataset.ready = "";
