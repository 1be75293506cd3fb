import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import type { Host } from "../../../src/host.ts";
import { main } from "../../../src/run.ts";
import { type Ended, noConfig } from "../../support/child.ts";
import { testHost } from "../../support/in-process.ts";

const server = join(import.meta.dirname, "shop-server.mjs");

/** A folder with a configuration of one server, and the state of its gateway. */
export interface Place {
  folder: string;
  env: Record<string, string>;
  /** Whether a gateway that is started in it has a terminal as standard error. Default false. */
  isTerminal?: boolean;
  /** Runs `gateway …` in it. */
  run(...args: string[]): Promise<Ended>;
  /** Runs any command in it. */
  command(...args: string[]): Promise<Ended>;
  write(gateway: object, shop?: object): void;
}

export function place(gateway: object = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...noConfig, HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state") };
  const made: Place = {
    folder,
    env,
    run: (...args) => made.command("gateway", ...args),
    async command(...args) {
      const { host, written } = testHost({ env, folder });
      return { code: await main(args, host), ...written };
    },
    write(settings, shop = {}) {
      const config = {
        mcpServers: { shop: { command: process.execPath, args: [server], ...shop } },
        gateway: settings,
      };
      writeFileSync(join(folder, "toolglot.json"), `// A comment.\n${JSON.stringify(config)}`);
    },
  };
  made.write({ approvals: { waitMs: 0 }, ...gateway });
  return made;
}

/** What JSON was read as. */
export type Json = ReturnType<typeof JSON.parse>;

/** A gateway that runs in this process. */
export interface Running {
  ended: Promise<Ended>;
  signal(name: string): void;
  /** Resolves when standard output, or standard error, holds the text. */
  seen(text: string, stream?: "stdout" | "stderr"): Promise<string>;
  /** Over stdio: sends a request, and resolves with its answer. */
  ask(method: string, params: object): Promise<Json>;
  call(name: string, args: object): Promise<{ text: string; outcome: Json }>;
  /** Over stdio: sends a request, and waits for nothing. Returns its id. */
  tell(method: string, params: object): number;
  /** Ends standard input. */
  leave(): void;
  /** Resolves when standard input has ended. */
  left: Promise<unknown>;
}

/** Starts `gateway …` in this process, as a client or a service manager does. */
export function start(at: Place, ...args: string[]): Running {
  return startCommand(at, "gateway", ...args);
}

/** Starts any command in this process. */
export function startCommand({ folder, env, isTerminal = false }: Place, ...args: string[]): Running {
  const written = { stdout: "", stderr: "" };
  const stdin = new PassThrough();
  const streams = { stdout: new PassThrough(), stderr: Object.assign(new PassThrough(), { isTTY: isTerminal }) };
  for (const name of ["stdout", "stderr"] as const) {
    streams[name].setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  const signals = new EventEmitter();
  const host: Host = {
    ...{ stdin, ...streams, env: { ...process.env, NO_COLOR: "1", ...env }, folder, signals },
    ...{ command: "toolglot", tools: [] },
    exit: (code) => {
      throw new Error(`left with ${code}`);
    },
  };
  let isOver = false;
  const ended = main(args, host)
    .then((code) => ({ code, ...written }))
    .finally(() => {
      isOver = true;
    });
  let count = 0;
  const answers = (): Json[] =>
    written.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const running: Running = {
    ended,
    signal: (name) => void signals.emit(name),
    async seen(text, stream = "stdout") {
      await expect.poll(() => written[stream], { timeout: 60_000 }).toContain(text);
      return written[stream];
    },
    tell(method, params) {
      const id = ++count;
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return id;
    },
    async ask(method, params) {
      const id = running.tell(method, params);
      const find = () => answers().find((one) => one.id === id && one.method === undefined);
      await expect.poll(find, { timeout: 60_000 }).toBeDefined();
      return find() as Json;
    },
    async call(name, args) {
      const { result } = await running.ask("tools/call", { name, arguments: args });
      return { text: result.content[0].text, outcome: result._meta["toolglot/outcome"] };
    },
    leave: () => void stdin.end(),
    left: once(stdin, "close"),
  };
  onTestFinished(async () => {
    stdin.end();
    if (!isOver) signals.emit("SIGTERM");
    await ended.catch(() => {});
  });
  return running;
}

/** Starts one over stdio, and greets it as clients without elicitation do. */
export async function startStdio(at: Place, ...args: string[]): Promise<Running> {
  const running = start(at, "--stdio", ...args);
  const clientInfo = { name: "test", version: "1" };
  await running.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  // The first list waits for the servers.
  await running.ask("tools/list", {});
  return running;
}
