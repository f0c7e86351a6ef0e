#!/usr/bin/env node
// Runs the program from this platform's package, with the same arguments, streams and exit status.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

const { programPath } = require("../index.js");

/** The exit status if there is no program to run, the same as in shells. */
const MISSING = 127;

function fail(reason) {
  process.stderr.write(`skc: ${reason}\n`);
  process.exitCode = MISSING;
}

function run(path) {
  // Do not use `process.stdin` for this: it would make a pipe non-blocking, for the program too.
  const isInTerminal = [0, 1, 2].some(isatty);
  let child;
  const forward = (signal) => {
    // On Windows, the console notifies both processes, and `kill` would end the program at once.
    if (process.platform === "win32") return;
    // A terminal sends Ctrl-C to both processes. A second signal would interrupt `skc lint --watch` in the middle of a
    // run.
    if (signal !== "SIGINT" || !isInTerminal) child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  // Install the handlers before the program starts: a signal that ended only this process would leave the program
  // behind.
  for (const signal of signals) process.on(signal, forward);
  child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => {
    fail(`${path} cannot be run: ${error.message}`);
  });
  child.on("exit", (status, signal) => {
    for (const name of signals) process.removeListener(name, forward);
    if (signal === null) {
      process.exitCode = status;
      return;
    }
    // End with the same signal as the program, so that a shell sees the signal.
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

let path;
try {
  path = programPath();
} catch (error) {
  fail(error.message);
}
if (path !== undefined) run(path);
