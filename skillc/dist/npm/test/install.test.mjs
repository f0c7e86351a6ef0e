// Packs the packages, installs them offline, and uses what was installed.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const PACK = fileURLToPath(new URL("../pack.mjs", import.meta.url));
const PLATFORMS = JSON.parse(readFileSync(new URL("../platforms.json", import.meta.url), "utf8"));
const OURS = PLATFORMS.find(({ os, cpu }) => os === platform() && cpu === arch());

let work;
let project;

/** The environment of npm: an empty cache, and nothing of the user's. */
const settings = () => ({
  PATH: env.PATH,
  HOME: join(work, "home"),
  SKILLC_HOME: join(work, "home"),
  npm_config_cache: join(work, "cache"),
  npm_config_userconfig: join(work, "npmrc"),
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
});

/** Runs a program in a folder; its exit status is not checked. */
function run(program, args, cwd = project) {
  const ran = spawnSync(program, args, { cwd, env: settings(), encoding: "utf8" });
  if (ran.error) throw ran.error;
  return ran;
}

/** Packs into a folder of this name, and returns the names of the files. */
function pack(name, programs) {
  const ran = run(execPath, [PACK, join(work, name), ...programs], work);
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.trim().split("\n");
}

/** Creates a project in a folder of this name, and installs packages in it. */
function install(name, packages, ...options) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const paths = packages.map((file) => join(work, "packed", file));
  const ran = run("npm", ["install", "--offline", ...options, ...paths], folder);
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  return folder;
}

function skill(name, frontmatter) {
  mkdirSync(join(project, "skills", name), { recursive: true });
  writeFileSync(join(project, "skills", name, "SKILL.md"), `---\n${frontmatter}\n---\n\n# ${name}\n\nWords.\n`);
}

before(() => {
  work = mkdtempSync(join(tmpdir(), "skillc-npm-"));
  mkdirSync(join(work, "home"));
  const packed = pack("packed", [`${OURS.target}=${env.SKC}`]);
  assert.equal(packed.length, 2);
  project = install("project", packed);
  skill("good", "name: good\ndescription: Says words. Use when words are needed.");
  skill("bad", "description: Has no name. Use when names are missing.");
});

after(() => rmSync(work, { recursive: true, force: true }));

test("the installed program is the real one, in the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(project, "node_modules/skillc/package.json"), "utf8"));
  const direct = spawnSync(env.SKC, ["--version"], { encoding: "utf8" });
  const ran = run("npx", ["--offline", "skc", "--version"]);
  assert.equal(ran.stdout, `skc ${version}\n`, ran.stderr);
  assert.equal(ran.stdout, direct.stdout);
});

test("streams and exit status are those of the program", () => {
  const good = run("npx", ["--offline", "skc", "lint", "skills/good"]);
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /good: 0 errors/);
  const bad = run("npx", ["--offline", "skc", "lint", "skills/bad"]);
  assert.equal(bad.status, 1, bad.stdout);
  assert.match(bad.stderr, /SKL101/);
  const wrong = run("npx", ["--offline", "skc", "lint", "--no-such-option"]);
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /error\[E100\]/);
  const server = spawnSync("npx", ["--offline", "skc", "mcp"], { cwd: project, env: settings(), input: "" });
  assert.equal(server.status, 0);
});

test("without the package of this platform, the command says what to do", () => {
  const folder = install("without", [readdirSync(join(work, "packed")).find((name) => /^skillc-\d/.test(name))]);
  const ran = run(execPath, ["node_modules/skillc/bin/skc.js", "--version"], folder);
  assert.equal(ran.status, 127);
  assert.equal(ran.stdout, "");
  assert.match(ran.stderr, /^skc: the package @skillc\/\S+, which contains the program, is not installed\./);
});

/** Replaces the program in a new project by a script. */
function scripted(name, script) {
  const folder = install(name, readdirSync(join(work, "packed")));
  const program = join(folder, "node_modules/@skillc", `${OURS.os}-${OURS.cpu}`, "bin/skc");
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return folder;
}

test("signals reach the program, and its death is passed on", { skip: platform() === "win32" }, async () => {
  const script = "#!/bin/sh\ntrap 'echo caught; exit 7' INT\necho ready $$\nwhile :; do sleep 0.1; done\n";
  const folder = scripted("signals", script);
  const start = async () => {
    const launcher = ["node_modules/skillc/bin/skc.js"];
    const child = spawn(execPath, launcher, { cwd: folder, env: settings(), stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    while (!output.includes("\n")) await once(child.stdout, "data");
    return { child, pid: Number(output.split(" ")[1]), ended: once(child, "close"), output: () => output };
  };
  const interrupted = await start();
  interrupted.child.kill("SIGINT");
  assert.deepEqual(await interrupted.ended, [7, null]);
  assert.match(interrupted.output(), /caught/);
  const terminated = await start();
  terminated.child.kill("SIGTERM");
  assert.deepEqual(await terminated.ended, [null, "SIGTERM"]);
  const killed = await start();
  process.kill(killed.pid, "SIGKILL");
  assert.deepEqual(await killed.ended, [null, "SIGKILL"]);
});

test("a program that cannot be run is named", { skip: platform() === "win32" }, () => {
  const folder = scripted("damaged", "");
  const program = join(folder, "node_modules/@skillc", `${OURS.os}-${OURS.cpu}`, "bin/skc");
  chmodSync(program, 0o644);
  // A program that only root may execute is executable for no user.
  const ran = run(execPath, ["node_modules/skillc/bin/skc.js"], folder);
  assert.equal(ran.status, 127);
  assert.match(ran.stderr, /bin\/skc cannot be run: /);
});

test("the same inputs give the same bytes", () => {
  const first = readdirSync(join(work, "packed")).sort();
  assert.deepEqual(pack("again", [`${OURS.target}=${env.SKC}`]).sort(), first);
  for (const name of first) {
    assert.ok(readFileSync(join(work, "again", name)).equals(readFileSync(join(work, "packed", name))), name);
  }
});

test("a wrong target is refused", () => {
  const ran = run(execPath, [PACK, join(work, "wrong"), `sparc-sun-solaris=${env.SKC}`], work);
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /expected TARGET=PROGRAM .* 'sparc-sun-solaris=/);
});

/** Commands whose output is assigned to the type of the command. */
const COMMANDS = [
  ["lint", "skills/good"],
  ["lint", "skills/bad"],
  ["lint", "skills"],
  ["scan", "skills/good"],
  ["list"],
  ["outline", "skills/good"],
  ["sources", "skills/good"],
  ["catalog list"],
];

test("the types describe the real output", () => {
  const lines = ['import { programPath, type Outputs } from "skillc";', "const path: string = programPath();"];
  COMMANDS.forEach(([command, ...args], at) => {
    const ran = run("npx", ["--offline", "skc", ...command.split(" "), ...args, "--format", "json"]);
    const output = JSON.parse(ran.stdout);
    writeFileSync(join(project, `output${at}.json`), JSON.stringify(output));
    // A literal, not an imported file: TypeScript then also reports members that the types lack.
    lines.push(`const output${at}: Outputs[${JSON.stringify(command)}] = ${JSON.stringify(output)};`);
  });
  lines.push('const lint: Outputs["lint"] = output0;', "console.log(path, lint.error_count + 1);");
  writeFileSync(join(project, "use.mts"), `${lines.join("\n")}\n`);
  check("use.mts", []);
});

test("the types refuse what is not there", () => {
  const lines = [
    'import type { Outputs } from "skillc";',
    'declare const lint: Outputs["lint"];',
    'export const count: string = lint.error_count;',
    'export const unknown: Outputs["no such command"] = lint;',
  ];
  writeFileSync(join(project, "misuse.mts"), `${lines.join("\n")}\n`);
  check("misuse.mts", ["misuse.mts(3,", "misuse.mts(4,"]);
});

test("the example in the readme is valid", () => {
  const readme = readFileSync(join(project, "node_modules/skillc/README.md"), "utf8");
  const [, example] = readme.split("```ts\n");
  writeFileSync(join(project, "example.mts"), example.split("```")[0]);
  check("example.mts", []);
});

/** Checks the places of TypeScript's errors in a file. */
function check(file, expected) {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--typeRoots", env.TYPES];
  const ran = run(execPath, [env.TSC, ...options, "--types", "node", file]);
  const errors = ran.stdout.split("\n").filter((line) => line.includes("error TS"));
  assert.equal(errors.length, expected.length, ran.stdout + ran.stderr);
  expected.forEach((place, at) => assert.ok(errors[at].startsWith(place), ran.stdout));
}
