import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isLong, leftToCi } from "@toolglot/internal/testing";
import { createClient, fetchTransport, type Transport } from "@toolglot/trp-client";
import { httpTransport, stdioTransport, wsTransport } from "@toolglot/trp-client/node";
import type { PartialResultEvent } from "@toolglot/trp-core/frames";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scripts } from "../../bundled-script.ts";

// Routers as processes on one file, and an agent that follows a call over each transport: whoever runs it is killed when a part
// has come, another router takes it over, and no part is missing or comes twice.

const parts = 5;
/** Beside the store's driver, so that it is found from there. */
const bundles = mkdtempSync(join(import.meta.dirname, "../../packages/sqlite/node_modules/.streams-"));
const script = join(bundles, "stream-router.mjs");
const folder = mkdtempSync(join(tmpdir(), "toolglot-streams-"));
const file = join(folder, "router.db");
const alive = new Map<number, { child: ChildProcess; port: number }>();
let door: Server;

async function start(): Promise<void> {
  const child = spawn(process.execPath, [script, file, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the router ended with ${code} before it said its port`)));
  });
  alive.set(child.pid as number, { child, port: Number(port) });
}

async function kill(pid: number): Promise<void> {
  const found = alive.get(pid);
  alive.delete(pid);
  process.kill(pid, "SIGKILL");
  // The next one is there before the next kill.
  if (found !== undefined) await start();
}

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "processes/stream-router.ts")],
    outfile: script,
    ...{ bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    conditions: ["source"],
    external: ["libsql"],
    plugins: [scripts],
    banner: {
      js: 'import { createRequire as required } from "node:module"; const require = required(import.meta.url);',
    },
  });
  // Connections go to any router that lives.
  door = createServer((near) => {
    const [{ port } = { port: 0 }] = alive.values();
    const far = connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
});

afterAll(async () => {
  for (const { child } of alive.values()) child.kill("SIGKILL");
  door?.close();
  rmSync(bundles, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const url = (): string => `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
const transports: Record<string, () => Transport> = {
  "an event stream by fetch": () => fetchTransport({ url: url() }),
  "an event stream by node:http": () => httpTransport({ url: url() }),
  "a WebSocket": () => wsTransport({ url: url() }),
  "standard streams": () => stdioTransport({ command: process.execPath, args: [script, file, "stdio"], graceMs: 200 }),
  polling() {
    const { send, close } = httpTransport({ url: url() });
    return { send: (frame, { signal }) => send(frame, { signal }), close };
  },
};
describe.each(Object.entries(transports))("a call that is followed over %s", (_, open) => {
  const all = Array.from({ length: parts }, (_, n) => n + 1);
  it.for(isLong ? all : [3])(
    "gives each part once, and its end, when its router is killed at part %i",
    async (at, context) => {
      leftToCi(context);
      for (const _ of alive.size === 0 ? [1, 2] : []) await start();
      const trp = createClient({
        transport: open(),
        agentId: "t",
        retry: { baseMs: 10, capMs: 100, connectMs: 20_000, maxRetries: 200 },
      });
      const { callId } = await trp.callAsync({ capId: "cap.talk.v1", args: { parts } });
      const heard: PartialResultEvent[] = [];
      let killing: Promise<void> | undefined;
      const ended = await trp.waitResult(callId, {
        onPart: (part) => {
          heard.push(part);
          if (heard.length === at) killing = kill(Number(part.stage));
        },
      });
      await killing;
      await trp.close();
      expect(ended, JSON.stringify(ended)).toMatchObject({ status: "success", result: { data: "whole" } });
      expect(heard.map(({ event_id: id }) => id)).toEqual(heard.map((_, n) => n + 1));
      const [first = [], second = []] = [1, 2].map((n) =>
        heard.filter(({ attempt }) => attempt === n).map(({ message }) => Number(message)),
      );
      expect(first).toEqual(all.slice(0, first.length));
      expect(first.length).toBeGreaterThanOrEqual(at);
      // All of its parts, and its end, may have come before it was killed.
      expect(second).toEqual(first.length === parts && second.length === 0 ? [] : all);
    },
  );
});
