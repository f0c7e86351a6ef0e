// Tests that `tar` reads the archives, and that the same inputs give the same bytes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { archive, PROGRAM, sha256 } from "../archive.mjs";

const SCRIPT = fileURLToPath(new URL("../archive.mjs", import.meta.url));

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "skillc-dist-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function run(program, args, options = {}) {
  const ran = spawnSync(program, args, { encoding: "utf8", ...options });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

test("tar lists and extracts the entries with their modes", (t) => {
  const at = folder(t);
  const large = Buffer.alloc(100_000, "skc");
  const packed = archive([
    { name: "a/skc", data: large, mode: PROGRAM },
    { name: "a/ß.txt", data: "Grüße\n" },
    { name: "a/empty", data: "" },
    { name: `a/${"x".repeat(98)}`, data: "y" },
  ]);
  writeFileSync(join(at, "a.tar.gz"), packed);
  const lines = run("tar", ["-tvzf", "a.tar.gz", "--numeric-owner"], { cwd: at, env: { ...env, TZ: "UTC" } });
  const [first, second] = lines.split("\n");
  assert.match(first, /^-rwxr-xr-x\s.*\b0[/ ]\s*0\s+100000 .*1980.* a\/skc$/);
  assert.match(second, /^-rw-r--r--/);
  run("tar", ["-xzf", "a.tar.gz"], { cwd: at });
  assert.ok(readFileSync(join(at, "a/skc")).equals(large));
  assert.equal(readFileSync(join(at, "a/ß.txt"), "utf8"), "Grüße\n");
  assert.equal(readFileSync(join(at, "a/empty"), "utf8"), "");
});

test("names that do not fit are refused", () => {
  assert.throws(() => archive([{ name: "x".repeat(101), data: "" }]), /longer than 100 bytes/);
});

test("owner, time and extra permissions of files do not matter", (t) => {
  const at = folder(t);
  for (const name of ["skc", "README.md"]) writeFileSync(join(at, name), name);
  const pack = (out, epoch) =>
    run(execPath, [SCRIPT, out, "skc-1", "skc", "README.md"], { cwd: at, env: { ...env, SOURCE_DATE_EPOCH: epoch } });
  chmodSync(join(at, "skc"), 0o755);
  const sum = pack("one.tar.gz", "1700000000");
  chmodSync(join(at, "skc"), 0o700);
  utimesSync(join(at, "README.md"), 1, 2);
  assert.equal(pack("two.tar.gz", "1700000000"), sum);
  assert.equal(sum.trim(), sha256(readFileSync(join(at, "one.tar.gz"))));
  assert.notEqual(pack("three.tar.gz", "1700000001"), sum);
  // The gzip header contains neither a time nor an operating system.
  const bytes = readFileSync(join(at, "one.tar.gz"));
  assert.deepEqual([...bytes.subarray(4, 8), bytes[9]], [0, 0, 0, 0, 255]);
  assert.equal(gunzipSync(bytes).length % 512, 0);
});
