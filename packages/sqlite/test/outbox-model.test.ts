import { rounds } from "@toolglot/internal/testing";
import { MemoryStore } from "@toolglot/trp-core";
import type { NewEvent, RouterStore } from "@toolglot/trp-core/store";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { newFile } from "./files.ts";

// An outbox as one would write it down: a list from which a prefix is dropped. Every store must read like it, whatever is
// asked for in what order, by whom, and whatever the clock does. On a file two stores take turns, and are opened anew.

interface Model {
  at: number[];
  dropped: number;
  consumers: Map<string, number>;
}

type Command =
  | { do: "add"; count: number; lost: boolean }
  | { do: "read"; from: string | number; limit: number }
  | { do: "acknowledge"; who: string; upTo: number }
  | { do: "forget"; who: string }
  | { do: "wait"; ms: number }
  | { do: "prune"; outboxTtlMs?: number; outboxRows?: number }
  | { do: "reopen" };

const who = fc.constantFrom("bill", "ann");
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), count: fc.nat(3), lost: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      from: fc.oneof(who, fc.nat(12)),
      limit: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("acknowledge" as const), who, upTo: fc.nat(14) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: -60, max: 60 }) }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant("prune" as const), outboxTtlMs: fc.constantFrom(5, 50), outboxRows: fc.nat(5) },
      { requiredKeys: ["do"] },
    ) as fc.Arbitrary<Command>,
  },
  { weight: 1, arbitrary: fc.constant({ do: "reopen" as const }) },
);

function drop(model: Model, upTo: number): void {
  model.dropped = Math.max(model.dropped, Math.min(upTo, model.at.length));
}

/** What the store must answer. */
function expected(model: Model, now: number, given: Command): unknown {
  const { at, consumers } = model;
  const last = at.length;
  if (given.do === "add") {
    for (let n = 0; n < given.count && !given.lost; n++) at.push(now);
    return undefined;
  }
  if (given.do === "read") {
    const after = typeof given.from === "number" ? given.from : (consumers.get(given.from) ?? 0);
    const all = at.map((time, n) => [n + 1, time]).slice(Math.max(after, model.dropped));
    const missed = after < model.dropped ? { first: after + 1, last: model.dropped } : undefined;
    return { events: all.slice(0, given.limit), last, missed };
  }
  if (given.do === "acknowledge") {
    if (given.upTo > last) return "TypeError";
    const position = Math.max(given.upTo, consumers.get(given.who) ?? 0);
    consumers.set(given.who, position);
    return position;
  }
  if (given.do === "forget") return consumers.delete(given.who);
  if (given.do === "prune") {
    const { outboxTtlMs = 7 * 24 * 60 * 60 * 1000, outboxRows = 1_000_000 } = given;
    drop(model, Math.max(consumers.size === 0 ? 0 : Math.min(...consumers.values()), last - outboxRows));
    while (model.dropped < last && (at[model.dropped] as number) <= now - outboxTtlMs) model.dropped += 1;
  }
  return undefined;
}

async function answerOf(store: RouterStore, given: Command, next: () => number): Promise<unknown> {
  switch (given.do) {
    case "add": {
      const events = Array.from({ length: given.count }, () => ({ type: "call.accepted", n: next() }) as never);
      const lost = { scope: "s", key: "none", fence: 1 };
      if (given.lost) await store.operations.doubt(lost, "lost", { events });
      else await store.audit.append([], { events: events as NewEvent[] });
      return undefined;
    }
    case "read": {
      const { from, limit } = given;
      const range = typeof from === "number" ? { after: from, limit } : { consumer: from, limit };
      const { events, last, missed } = await store.outbox.read(range);
      return { events: events.map(({ index, event }) => [index, event.at]), last, missed };
    }
    case "acknowledge":
      return await store.outbox.acknowledge(given.who, given.upTo).catch((error: Error) => error.name);
    case "forget":
      return await store.outbox.forget(given.who);
    case "prune": {
      const { do: _, ...retention } = given;
      return await store.prune(retention);
    }
    default:
      return undefined;
  }
}

it.each(["memory", "sqlite"])(
  "is read as it was written, whatever comes between (%s)",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 60, size: "max" }), async (sequence) => {
        let time = 1_000_000;
        let made = 0;
        const now = (): number => time;
        const file = newFile();
        const open = async (): Promise<RouterStore> =>
          kind === "memory" ? new MemoryStore({ now }) : await openSqlite({ file, now, synchronous: "normal" });
        const stores = [await open()];
        if (kind === "sqlite") stores.push(await open());
        const model: Model = { at: [], dropped: 0, consumers: new Map() };
        try {
          for (const [step, given] of sequence.entries()) {
            if (given.do === "wait") time += given.ms;
            if (given.do === "reopen" && kind === "sqlite") {
              await stores[0]?.close();
              stores[0] = await open();
            }
            const wanted = expected(model, time, given);
            const got = await answerOf(stores[step % stores.length] as RouterStore, given, () => ++made);
            expect(got, JSON.stringify(sequence.slice(0, step + 1))).toEqual(wanted);
          }
        } finally {
          for (const store of stores) await store.close();
        }
      }),
      { numRuns: rounds(8, 1_000) },
    );
  },
  600_000,
);
