// Tests which program the main package runs, and the error if there is none.

import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const FILES = ["index.js", "platforms.json"];

/** Loads the main package from a folder in which these platform packages are installed, given by name and version. */
function installed(t, packages) {
  const folder = mkdtempSync(join(tmpdir(), "skillc-npm-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const modules = join(folder, "node_modules");
  const main = join(modules, "skillc");
  mkdirSync(main, { recursive: true });
  for (const file of FILES) copyFileSync(new URL(`../${file}`, import.meta.url), join(main, file));
  writeFileSync(join(main, "package.json"), '{ "name": "skillc", "version": "1.2.3" }');
  for (const [name, version] of Object.entries(packages)) {
    const bin = join(modules, name, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(modules, name, "package.json"), JSON.stringify({ name, version }));
    writeFileSync(join(bin, name.includes("win32") ? "skc.exe" : "skc"), "");
  }
  return createRequire(join(main, "index.js"))("./index.js").programPath;
}

test("each platform has its program", (t) => {
  const all = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];
  const programPath = installed(t, Object.fromEntries(all.map((name) => [`@skillc/${name}`, "1.2.3"])));
  for (const name of all) {
    const [os, cpu] = name.split("-");
    const path = programPath(os, cpu).replaceAll("\\", "/");
    assert.ok(path.endsWith(`/@skillc/${name}/bin/skc${os === "win32" ? ".exe" : ""}`), path);
  }
});

test("a missing package is named, with the options that leave it out", (t) => {
  const programPath = installed(t, {});
  assert.throws(() => programPath("linux", "x64"), (error) => {
    assert.match(error.message, /the package @skillc\/linux-x64, which contains the program, is not installed/);
    assert.match(error.message, /--no-optional or --omit=optional/);
    assert.match(error.message, /package-lock\.json/);
    return true;
  });
});

test("packages that were copied from another platform are recognized", (t) => {
  const programPath = installed(t, { "@skillc/darwin-arm64": "1.2.3" });
  assert.throws(() => programPath("linux", "x64"), /The installed package is for darwin-arm64\. Run npm install/);
});

test("an unsupported platform is told which ones are supported", (t) => {
  const programPath = installed(t, { "@skillc/linux-x64": "1.2.3" });
  for (const [os, cpu] of [["freebsd", "x64"], ["linux", "riscv64"], ["win32", "arm64"]]) {
    assert.throws(() => programPath(os, cpu), (error) => {
      assert.ok(error.message.includes(`no program for ${os}-${cpu}, only for darwin-arm64, `), error.message);
      assert.match(error.message, /cargo install --locked skillc$/);
      return true;
    });
  }
});

test("a program of another version is not run", (t) => {
  const programPath = installed(t, { "@skillc/linux-x64": "1.2.2" });
  assert.throws(() => programPath("linux", "x64"), (error) => {
    assert.match(error.message, /has version 1\.2\.2, but skillc has version 1\.2\.3/);
    assert.match(error.message, /npm install skillc@1\.2\.3$/);
    return true;
  });
});
