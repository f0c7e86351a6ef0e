// Finds the program in this platform's package. The program for Linux is statically linked: it needs neither glibc nor
// musl, so there is one package per processor.
"use strict";

const platforms = require("./platforms.json");
const { version } = require("./package.json");

const names = platforms.map(({ os, cpu }) => `${os}-${cpu}`);

/**
 * Returns the path of the program.
 *
 * `os` and `cpu` are as in `process.platform` and `process.arch`; `resolve` is as `require.resolve`. Throws an error if
 * there is no program, or if the program has another version. The message says what to do.
 */
function programPath(os = process.platform, cpu = process.arch, resolve = require.resolve) {
  const platform = `${os}-${cpu}`;
  if (!names.includes(platform)) {
    throw new Error(
      `there is no program for ${platform}, only for ${names.join(", ")}. ` +
        "Build it from source, with Rust and a C compiler: cargo install --locked skillc",
    );
  }
  const name = `@skillc/${platform}`;
  let manifest;
  try {
    manifest = resolve(`${name}/package.json`);
  } catch {
    throw new Error(`the package ${name}, which contains the program, is not installed. ${advice(resolve)}`);
  }
  const found = require(manifest).version;
  if (found !== version) {
    throw new Error(
      `the package ${name} has version ${found}, but skillc has version ${version}. ` +
        `Install both in the same version: npm install skillc@${version}`,
    );
  }
  return resolve(`${name}/bin/skc${os === "win32" ? ".exe" : ""}`);
}

/** Returns what to do if this platform's package is missing. */
function advice(resolve) {
  const others = names.filter((name) => {
    try {
      return Boolean(resolve(`@skillc/${name}/package.json`));
    } catch {
      return false;
    }
  });
  if (others.length > 0) {
    return (
      `The installed package is for ${others.join(", ")}. ` +
      "Run npm install on this machine: node_modules cannot be copied from another platform."
    );
  }
  return (
    "It is an optional dependency of skillc. " +
    "Install skillc again, without --no-optional or --omit=optional; if package-lock.json was written on another " +
    "platform and lacks the package, delete this file and node_modules first."
  );
}

module.exports = { programPath };
