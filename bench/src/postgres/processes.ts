import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Peer, window } from "../trp/load.ts";

/** See router-process.ts. */
const script = join(dirname(fileURLToPath(import.meta.url)), "router-process.mjs");

/** What a process says of one window. */
export type Told = Awaited<ReturnType<typeof window>> & { waits: number[] };

/** Routers in processes of their own, each with its share of the callers. */
export interface Routers extends Peer {
  readonly pids: readonly number[];
}

/** Starts a router for each schema: the same name for routers that share everything. */
export async function startRouters(name: string, url: string, schemas: readonly string[]): Promise<Routers> {
  const routers = await Promise.all(schemas.map((schema) => startRouter(url, schema)));
  return {
    name,
    pids: routers.map(({ child }) => child.pid as number),
    async call() {
      throw new Error(`${name} is called in windows`);
    },
    async window(_, callers, ms, waits) {
      const told = await Promise.all(routers.map(({ ask }) => ask(callers / routers.length, ms)));
      for (const one of told) waits.push(...one.waits);
      return {
        calls: told.reduce((sum, { calls }) => sum + calls, 0),
        ms: Math.max(...told.map((one) => one.ms)),
      };
    },
    async close() {
      await Promise.all(routers.map(({ end }) => end()));
    },
  };
}

interface Router {
  child: ChildProcess;
  ask(callers: number, ms: number): Promise<Told>;
  end(): Promise<void>;
}

async function startRouter(url: string, schema: string): Promise<Router> {
  const child = spawn(process.execPath, [script, url, schema, ...process.argv.filter((one) => one === "--quick")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const line = (): Promise<string> =>
    new Promise((resolve, reject) => {
      lines.once("line", resolve);
      void ended.then((code) => reject(new Error(`a router ended with ${code}`)));
    });
  await line();
  return {
    child,
    async ask(callers, ms) {
      child.stdin.write(`${callers} ${ms}\n`);
      return JSON.parse(await line()) as Told;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
