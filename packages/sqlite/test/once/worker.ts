import { appendFileSync } from "node:fs";
import { type OnceError, once } from "@toolglot/core/once";
import type { Storage } from "@toolglot/core/storage";
import { tellParent } from "@toolglot/internal/testing/tell-parent";
import { storages } from "./logs.ts";

// A process that does each of many keys once, together with others, and kills itself at a border. An effect is a line in a file that all
// of them share. It tells its parent what it was told, a line each.

/** What the parent says. */
export interface Orders {
  storage: string;
  address: string;
  ledger: string;
  how: "once" | "naive";
  /** In the order in which they are asked for. */
  keys: string[];
  /** Kills itself there, the so-manieth time that it comes by. */
  dies?: { at: Border; after: number };
  leaseMs: number;
}

/** Between two steps of one call. */
export const borders = ["claim", "begin", "work", "finish", "return"] as const;
export type Border = (typeof borders)[number];

type Call = (key: string, effect: () => string) => Promise<string>;

async function serve({ storage: kind, address, ledger, how, keys, dies, leaseMs }: Orders): Promise<void> {
  const storage = await (storages[kind] as (address: string) => Promise<Storage>)(address);
  let passed = 0;
  const border = (name: Border): void => {
    if (name === dies?.at && ++passed >= dies.after) process.kill(process.pid, "SIGKILL");
  };
  const calls = { once: onceOn(storage, leaseMs, border), naive: naivelyOn(storage, border) };
  const queue = [...keys];
  const inTurn = async (): Promise<void> => {
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      const line = await calls[how](key, () => {
        const effect = `${process.pid}`;
        appendFileSync(ledger, `${key} ${effect}\n`);
        return effect;
      }).then(
        (value) => `value ${key} ${value}`,
        ({ code, message }: OnceError) => `${code ?? message} ${key}`,
      );
      border("return");
      if (line.startsWith("once/busy")) {
        queue.push(key);
        await new Promise((resolve) => setTimeout(resolve, 5));
      } else tellParent(line);
    }
  };
  await Promise.all(Array.from({ length: 4 }, inTurn));
  await storage.close();
}

function onceOn({ operations }: Storage, leaseMs: number, border: (name: Border) => void): Call {
  const log: typeof operations = {
    ...operations,
    async claim(request) {
      const found = await operations.claim(request);
      if (found.status === "claimed") border("claim");
      return found;
    },
    async begin(...given) {
      const begun = await operations.begin(...given);
      border("begin");
      return begun;
    },
    async finish(...given) {
      const finished = await operations.finish(...given);
      border("finish");
      return finished;
    },
  };
  return async (key, effect) => {
    const { value } = await once(log, { scope: "s", key, leaseMs, waitMs: 0 }, () => {
      const done = effect();
      border("work");
      return done;
    });
    return value;
  };
}

/** What many write for themselves: read, do, write. */
function naivelyOn({ blobs }: Storage, border: (name: Border) => void): Call {
  return async (key, effect) => {
    const found = await blobs.get(`naive/${key}`);
    if (found) return new TextDecoder().decode(found);
    border("claim");
    border("begin");
    const done = effect();
    border("work");
    await blobs.put(`naive/${key}`, new TextEncoder().encode(done));
    border("finish");
    return done;
  };
}

if (process.argv[2] !== undefined) await serve(JSON.parse(process.argv[2]) as Orders);
