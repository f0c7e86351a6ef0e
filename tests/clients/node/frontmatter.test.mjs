// Tests that npm's YAML parser reads the same values from a stub as from its source, both as YAML 1.1 and as YAML 1.2.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { world } from "./server.mjs";

const { SKC } = process.env;
const FIELDS = join(dirname(dirname(fileURLToPath(import.meta.url))), "fields.yaml");

// With this many fields, a stub has room for lists and maps only in flow style (in brackets).
const FULL = 36;
const FORMS = { lines: 0, brackets: FULL };

/** Parses a block. Values that the YAML version does not support stay strings. */
const read = (block, version) => parse(block, { version, logLevel: "silent" });

for (const [part, fields] of readFileSync(FIELDS, "utf8").split("# next\n").entries()) {
  for (const [form, count] of Object.entries(FORMS)) {
    const missing = Math.max(0, count - Object.keys(read(fields, "1.2")).length);
    const more = Array.from({ length: missing }, (_, n) => `more${n}: ${n}\n`).join("");
    test(`every notation of part ${part} in ${form} reads back the same`, () => check(fields + more));
  }
}

/** Builds a skill with these fields and compares its stub with it. */
function check(fields) {
  const source = `name: fields\ndescription: d\n${fields}`;
  // Use a separate home, because the inspector lists the skills of the shared home.
  const home = mkdtempSync(join(tmpdir(), "skc-fields-"));
  after(() => rmSync(home, { recursive: true }));
  const dir = join(home, ".skillc/skills/fields");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "SKILL.md"), `---\n${source}---\n# T\n`);
  const env = { ...world.env, HOME: home, SKILLC_HOME: home };
  execFileSync(SKC, ["build", "fields"], { cwd: home, env, stdio: "pipe" });
  const stub = readFileSync(join(home, ".skillc/runtime/fields/SKILL.md"), "utf8");
  const block = stub.slice("---\n".length, stub.indexOf("\n---\n") + 1);
  for (const version of ["1.1", "1.2"]) {
    assert.deepEqual(read(block, version), read(source, version), version);
  }
}
