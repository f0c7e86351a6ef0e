// `skc mcp --http` on a free port, and a proxy that adds the token for clients that cannot send one.

import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";

const { SKC, WORLD } = process.env;

/** The server's working directory and environment variables. */
export const world = JSON.parse(readFileSync(WORLD, "utf8"));

/** The timeout for the server to print its address and token, in milliseconds. */
const PATIENCE = 20_000;

/** Starts a server; returns its address, its token, and a function that stops it. */
export async function start() {
  const child = spawn(SKC, ["mcp", "--http", "127.0.0.1:0"], {
    cwd: world.project,
    env: world.env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(late);
  };
  const announced = new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the server did not tell its address and its token:\n${said}`));
    const late = setTimeout(fail, PATIENCE);
    ended.then(fail);
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const url = said.match(/http:\/\/127\.0\.0\.1:\d+[^\s'"`,;]*/);
      const token = said.match(/\b(?:bearer|token)\b[^\w-]+([\w-]{16,})/i);
      if (url && token && said.endsWith("\n")) {
        clearTimeout(late);
        resolve({ url: url[0], token: token[1], stop });
      }
    });
  });
  return announced.catch(async (error) => {
    await stop();
    throw error;
  });
}

/** Opens a proxy to the server. The proxy adds the token to each request, and changes nothing else. */
export async function open({ url, token }) {
  const { hostname, port, pathname } = new URL(url);
  const door = createServer((asked, answer) => {
    const headers = [...asked.rawHeaders, "Authorization", `Bearer ${token}`];
    const path = asked.url === "/" ? pathname : asked.url;
    const passed = request({ hostname, port, path, method: asked.method, headers, setHost: false });
    passed.on("response", (response) => {
      answer.writeHead(response.statusCode, response.rawHeaders);
      answer.flushHeaders();
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise((resolve) => door.listen(0, "127.0.0.1", resolve));
  const close = () => {
    door.closeAllConnections();
    return new Promise((resolve) => door.close(resolve));
  };
  return { url: `http://127.0.0.1:${door.address().port}${pathname}`, close };
}
