// Tests `skc mcp` with the command line of the official inspector: lists, calls, reads and checks.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { start, world } from "./server.mjs";

const { SKC } = process.env;
const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const INSPECTOR = join(HERE, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");

/** The inspector's exit status if a tool returned an error. */
const TOOL_FAILED = 5;

/** The timeout of a request, in milliseconds. */
const PATIENCE = 30_000;

const OF_CATALOG = ["skill_search", "skill_load", "catalog_list", "context_inspect", "skill_list"];

const TOOLS = ["build", "init", "lint", "list", "open", "outline", "scan", "search", "show", "sources", "stats"];

let server;

before(async () => {
  server = await start();
});

after(() => server?.stop());

/** The two transports, each with and without a handshake. */
const WAYS = [
  { name: "stdio, with a handshake", era: "legacy", target: stdio },
  { name: "stdio, stateless", era: "modern", target: stdio },
  { name: "http, with a handshake", era: "legacy", target: http },
  { name: "http, stateless", era: "modern", target: http },
];

function stdio() {
  const variables = Object.entries(world.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return [SKC, "mcp", "--cwd", world.project, ...variables];
}

function http() {
  return [server.url, "--transport", "http", "--header", `Authorization: Bearer ${server.token}`];
}

/** Sends a request; returns the exit status and the output of the inspector. */
function ask(way, method, ...options) {
  const line = [INSPECTOR, "--cli", ...way.target(), "--protocol-era", way.era, "--connect-timeout", "10000"];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...line, "--format", "json", "--quiet", "--method", method, ...options],
      { cwd: world.project, env: { ...world.env, CI: "true" }, timeout: PATIENCE },
      (failure, stdout, stderr) => resolve({ status: failure ? (failure.code ?? failure.signal) : 0, stdout, stderr }),
    );
  });
}

/** Sends a request that must succeed; returns the result. */
async function answer(way, method, ...options) {
  const { status, stdout, stderr } = await ask(way, method, ...options);
  assert.equal(status, 0, stdout + stderr);
  return JSON.parse(stdout).result;
}

/** Calls a tool with arguments that are passed on unchanged. */
function call(way, tool, given) {
  return ask(way, "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(given));
}

for (const way of WAYS) {
  describe(way.name, { concurrency: 2 }, () => {
    test("the server introduces itself", async () => {
      const { serverInfo, protocolVersion, capabilities } = await answer(way, "initialize");
      assert.equal(serverInfo.name, "skillc");
      assert.equal(protocolVersion, way.era === "modern" ? "2026-07-28" : "2025-11-25");
      assert.ok(capabilities.tools);
    });

    test("the schemas of all tools are portable", async () => {
      const { tools } = await answer(way, "tools/list", "--strict");
      assert.deepEqual(
        tools.map((tool) => tool.name).sort(),
        [...OF_CATALOG, ...TOOLS.map((name) => `skc_${name}`)].sort(),
      );
    });

    test("a tool answers in both forms", async () => {
      const { status, stdout, stderr } = await call(way, "skc_search", { skill: "atlas", query: "nile", limit: 3 });
      assert.equal(status, 0, stdout + stderr);
      const { structuredContent, content } = JSON.parse(stdout).result;
      assert.equal(structuredContent.results[0].section, "Nile");
      assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    });

    test("arguments that are typed on a command line are understood", async () => {
      const given = ["--tool-name", "skc_search", "--tool-arg", "skill=atlas", "query=nile", "limit=1"];
      const { structuredContent } = await answer(way, "tools/call", ...given);
      assert.equal(structuredContent.results.length, 1);
    });

    test("a tool that fails says why", async () => {
      const { status, stdout } = await call(way, "skc_show", { skill: "atlas", section: "Lake" });
      assert.equal(status, TOOL_FAILED);
      const { isError, content } = JSON.parse(stdout).result;
      assert.equal(isError, true);
      assert.match(content[0].text, /^error\[E020\]: section not found: 'Lake'\n[^]*Lakes \(SKILL\.md\)/);
    });

    test("a file is read under its address", async () => {
      const { resources } = await answer(way, "resources/list");
      const page = resources.find((one) => one.uri.endsWith("/atlas/SKILL.md"));
      const { contents } = await answer(way, "resources/read", "--uri", page.uri);
      assert.match(contents[0].text, /Rivers run downhill\./);
      const { resourceTemplates } = await answer(way, "resources/templates/list");
      assert.ok(resourceTemplates.some((one) => one.uriTemplate.startsWith("skill://")));
    });

    test("a prompt hands a skill over", async () => {
      const { prompts } = await answer(way, "prompts/list");
      assert.ok(prompts.some((one) => one.name === "use_skill"));
      const given = ["--prompt-name", "use_skill", "--prompt-args", "name=atlas"];
      const { messages } = await answer(way, "prompts/get", ...given);
      assert.match(JSON.stringify(messages), /Rivers run downhill\./);
    });

    test("the skills, their manifests and digests are as the extension wants them", async () => {
      const { status, stdout, stderr } = await ask(way, "skills/list", "--verify", "--require-digests");
      const reports = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        reports.filter((report) => !report.ok),
        [],
      );
      assert.equal(status, 0, stderr);
      const names = reports.map((report) => report.name);
      // The list omits 'two--dashes', because the standard does not allow this name, and 'book', because checking
      // its thousands of files would take too long.
      assert.deepEqual(names, ["atlas", "counted", "draft", "linked", "roaming"]);
    });

    test("the directory of a skill is read", async () => {
      const { resources } = await answer(way, "resources/list");
      const page = resources.find((one) => one.uri.endsWith("/atlas/SKILL.md"));
      const directory = page.uri.replace(/\/SKILL\.md$/, "");
      const inside = await answer(way, "resources/directory/read", "--uri", directory);
      const found = inside.resources.map((one) => one.uri.slice(directory.length + 1).replace(/\/$/, "")).sort();
      assert.deepEqual(found, ["SKILL.md", "assets", "references", "scripts"]);
    });
  });
}
