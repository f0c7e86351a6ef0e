// Runs all server scenarios of the official conformance suite against `skc mcp --http`. Scenarios that cannot pass are
// listed in expected-failures.yml with the reason. A listed scenario that passes is a failure, so the list stays up to
// date.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { open, start } from "./server.mjs";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const EXPECTED = join(HERE, "expected-failures.yml");

/** The timeout of one run of the suite, in milliseconds. */
const PATIENCE = 90_000;

const RELEASED = "@modelcontextprotocol/conformance";
const NEXT = "conformance-next";

/** The runs of the newer suite, which also covers the revision without a handshake and the extension for skills. */
const RUNS = [
  ["--suite", "all", "--spec-version", "2025-11-25"],
  ["--suite", "all", "--spec-version", "2026-07-28"],
  ["--scenario", "sep-2640-skills-directory"],
  ["--scenario", "sep-2640-skills-enumeration"],
  ["--scenario", "sep-2640-skills-manifest"],
].map((options) => ({ suite: NEXT, options, expected: EXPECTED }));

/** Runs the suite once. Returns its output, and whether all results were as expected. */
function run({ suite, options, expected }, url, cwd) {
  const program = join(HERE, "node_modules", suite, "dist", "index.js");
  const line = [program, "server", "--url", url, ...options, "--expected-failures", expected];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, line, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    }
    child.on("close", (status) => {
      resolve({ ok: status === 0, said: said.replace(/\u001b\[\d*m/g, "") });
    });
  });
}

/** Returns the names that follow a mark, each on its own line. */
function marked(said, mark) {
  return [...said.matchAll(new RegExp(`^\\s*${mark} (\\S+)$`, "gm"))].map(([, name]) => name);
}

/** Returns the entries of the list of expected failures that have no reason. */
function unexplained(lines) {
  return lines.filter((line) => line.trimStart().startsWith("- ") && !/ # \S/.test(line));
}

/** Returns the list of expected failures for the released suite, whose list contains scenarios instead of checks. */
function coarse(entries) {
  const scenarios = new Set(entries.map((name) => name.split(":")[0]));
  return `server:\n${[...scenarios].map((name) => `  - ${name}\n`).join("")}`;
}

const server = await start();
const door = await open(server);
const work = await mkdtemp(join(tmpdir(), "conformance-"));
const lines = (await readFile(EXPECTED, "utf8")).split("\n");
const entries = lines.flatMap((line) => line.match(/^\s*- (\S+)/)?.[1] ?? []);
const failed = unexplained(lines).map((line) => `no reason is given: ${line.trim()}`);
const met = new Set();
let scenarios = 0;
try {
  const released = { suite: RELEASED, options: ["--suite", "all"], expected: join(work, "expected.yml") };
  await writeFile(released.expected, coarse(entries));
  for (const one of [released, ...RUNS]) {
    const { ok, said } = await run(one, door.url, work);
    const expected = marked(said, "~");
    expected.forEach((name) => met.add(name));
    scenarios += said.match(/^=== Running scenario: /gm)?.length ?? 1;
    if (!ok) {
      failed.push(`${one.suite} ${one.options.join(" ")}:\n${said}`);
    }
  }
} finally {
  await door.close();
  await server.stop();
  await rm(work, { recursive: true, force: true });
}
if (failed.length === 0) {
  failed.push(...entries.filter((name) => !met.has(name)).map((name) => `expected to fail, but never ran: ${name}`));
}
if (failed.length > 0) {
  console.error(failed.join("\n"));
  process.exit(1);
}
console.log(`${scenarios} scenarios as expected, ${entries.length} checks not for us`);
