// Packs the packages, installs them offline, and tests the installed program and types.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** The environment of npm: an empty cache, and none of the user's settings. */
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

/** Packs the packages into a folder of this name, and returns the paths of the files. */
function pack(name, programs) {
  const ran = run(execPath, [PACK, join(work, name), ...programs], work);
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.trim().split("\n").map((file) => join(work, name, file));
}

/** Packs a script as the program. */
function packScript(name, script) {
  const program = join(work, `${name}.sh`);
  writeFileSync(program, script);
  return pack(`${name}-packed`, [`${OURS.target}=${program}`]);
}

/** Creates a project in a folder of this name, and installs the packages with these paths. */
function install(name, packages) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const ran = run("npm", ["install", "--offline", ...packages], folder);
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
  // By default, TypeScript loads the types of all installed packages. Naming this empty package prevents that.
  mkdirSync(join(work, "none"));
  writeFileSync(join(work, "none/index.d.ts"), "export {};\n");
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
  const skc = "node_modules/.bin/skc";
  const good = run(skc, ["lint", "skills/good"]);
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /good: 0 errors/);
  const bad = run("npx", ["--offline", "skc", "lint", "skills/bad"]);
  assert.equal(bad.status, 1, bad.stdout);
  assert.match(bad.stderr, /SKL101/);
  const wrong = run(skc, ["lint", "--no-such-option"]);
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /error\[E100\]/);
  const server = spawnSync(skc, ["mcp"], { cwd: project, env: settings(), input: "" });
  assert.equal(server.status, 0);
});

test("without the package of this platform, the command says what to do", () => {
  const [main] = packScript("without", "");
  const folder = install("without", [main]);
  const ran = run(execPath, ["node_modules/skillc/bin/skc.js", "--version"], folder);
  assert.equal(ran.status, 127);
  assert.equal(ran.stdout, "");
  assert.match(ran.stderr, /^skc: the package @skillc\/\S+, which contains the program, is not installed\./);
});

test("signals reach the program, and its death is passed on", { skip: platform() === "win32" }, async () => {
  const script = "#!/bin/sh\ntrap 'echo caught; exit 7' INT\necho ready $$\nwhile :; do sleep 0.1; done\n";
  const folder = install("signals", packScript("signals", script));
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
  const folder = install("damaged", packScript("damaged", ""));
  const program = join(folder, "node_modules/@skillc", `${OURS.os}-${OURS.cpu}`, "bin/skc");
  chmodSync(program, 0o644);
  // Without an execute bit, not even root can run the program.
  const ran = run(execPath, ["node_modules/skillc/bin/skc.js"], folder);
  assert.equal(ran.status, 127);
  assert.match(ran.stderr, /bin\/skc cannot be run: /);
});

test("the same inputs give the same bytes", () => {
  const first = packScript("same", "#!/bin/sh\n");
  const second = packScript("same-again", "#!/bin/sh\n");
  assert.equal(first.length, 2);
  first.forEach((path, at) => assert.ok(readFileSync(path).equals(readFileSync(second[at])), path));
});

test("a wrong target is refused", () => {
  const ran = run(execPath, [PACK, join(work, "wrong"), `sparc-sun-solaris=${env.SKC}`], work);
  assert.equal(ran.status, 2);
  assert.match(ran.stderr, /expected TARGET=PROGRAM .* 'sparc-sun-solaris=/);
});

/** Commands whose output is assigned to the command's type. */
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

test("the types describe the real output, refuse what is not there, and fit the example in the readme", () => {
  const lines = ['import { programPath, type Outputs } from "skillc";', "export const path: string = programPath();"];
  COMMANDS.forEach(([command, ...args], at) => {
    const ran = run("node_modules/.bin/skc", [...command.split(" "), ...args, "--format", "json"]);
    // Use a literal instead of an imported file: then TypeScript also reports members that the types lack.
    lines.push(`export const output${at}: Outputs[${JSON.stringify(command)}] = ${ran.stdout.trim().replaceAll("\n", " ")};`);
  });
  lines.push('declare const lint: Outputs["lint"];', "export const count: number = lint.error_count;");
  writeFileSync(join(project, "use.mts"), `${lines.join("\n")}\n`);
  const wrong = [
    'import type { Outputs } from "skillc";',
    'declare const lint: Outputs["lint"];',
    "export const count: string = lint.error_count;",
    'export const unknown: Outputs["no such command"] = lint;',
  ];
  writeFileSync(join(project, "misuse.mts"), `${wrong.join("\n")}\n`);
  const readme = readFileSync(join(project, "node_modules/skillc/README.md"), "utf8");
  const [, example] = readme.split("```ts\n");
  writeFileSync(join(project, "example.mts"), example.split("```")[0]);
  const node = "export function spawnSync(program: string, args: string[], options: object): { stdout: string };";
  writeFileSync(join(project, "node.d.ts"), `declare module "node:child_process" { ${node} }\n`);
  // Without `skipLibCheck`, so that the declarations themselves are checked.
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022"];
  const types = ["--types", "none", "--typeRoots", work];
  const files = ["node.d.ts", "use.mts", "misuse.mts", "example.mts"];
  const ran = run(execPath, [env.TSC, ...options, ...types, ...files]);
  const errors = ran.stdout.split("\n").filter((line) => line.includes("error TS"));
  const places = errors.map((line) => line.replace(/,.*/, ""));
  assert.deepEqual(places, ["misuse.mts(3", "misuse.mts(4"], ran.stdout + ran.stderr);
});
