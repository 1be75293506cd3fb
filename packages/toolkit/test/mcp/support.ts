import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createMcpClient, type McpClientOptions } from "../../src/mcp/index.ts";
import type { McpClient } from "../../src/mcp/types.ts";

/** A folder of the test's own. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file in which the unruly server counts its effects. */
export interface Ledger {
  path: string;
  lines(): string[];
  /** How often a line stands there. */
  count(line: string): number;
}

export function makeLedger(): Ledger {
  const path = join(scratch(), "ledger");
  const lines = (): string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  return { path, lines, count: (line) => lines().filter((one) => one === line).length };
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A client that is closed after the test. */
export function clientOf(options: McpClientOptions): McpClient {
  const client = createMcpClient(options);
  onTestFinished(() => client.close());
  return client;
}

/** The unruly server over stdio. */
export function stdioClient(env: Record<string, string> = {}, options: Partial<McpClientOptions> = {}): McpClient {
  const transport = { type: "stdio" as const, command: process.execPath, args: [fixture("unruly-stdio.mjs")], env };
  return clientOf({ name: "unruly", transport, ...options });
}

/** A server in a process of its own, behind a port. */
export interface HttpServer {
  url: string;
  port: number;
  /** Without a goodbye. Resolves when it is gone. */
  kill(): Promise<void>;
  get(path: string): Promise<{ opened: number; open: number }>;
}

/** Starts the unruly server over HTTP. */
export async function httpServer(env: Record<string, string> = {}): Promise<HttpServer> {
  const child = spawn(process.execPath, [fixture("unruly-http.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = killer(child);
  const port = Number(await firstOutput(child, /\d+/));
  const get: HttpServer["get"] = async (path) =>
    (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as { opened: number; open: number };
  return { url: `http://127.0.0.1:${port}/mcp`, port, kill, get };
}

/** Kills the child when asked to, and at the end of the test anyway. */
export function killer(child: ChildProcess): () => Promise<void> {
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  return kill;
}

/** What a child says that fits, on either of its outputs. */
export function firstOutput(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const hear = (chunk: Buffer): void => {
      text += chunk.toString();
      const found = pattern.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`it ended before it said ${pattern}: ${text}`)));
  });
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 8000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Where npm put a server's program. */
function programOf(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
}

/** The reference server that shows all of MCP. */
export function everythingPath(): string {
  return programOf("server-everything");
}

/** The reference server for files. */
export function filesystemPath(): string {
  return programOf("server-filesystem");
}
