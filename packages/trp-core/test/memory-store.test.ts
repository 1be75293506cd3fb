import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { operationLogSuite, storageSuite } from "@toolglot/storage/testing";
import { describe, expect, it } from "vitest";
import { MemoryStore } from "../src/store/memory-store.ts";
import { storeSuite } from "../src/store-suite/index.ts";

describe("MemoryStore", () => {
  it.each(storeSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryStore({ now })));
});

describe("storage of MemoryStore", () => {
  it.each(storageSuite)("$name", async ({ run }) => run(async () => new MemoryStore()));
});

describe("operation log of MemoryStore", () => {
  it.each(operationLogSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryStore({ now }).operations));
});

describe("MemoryOperationLog", () => {
  it.each(operationLogSuite)("$name", async ({ run }) => run(async ({ now }) => new MemoryOperationLog({ now })));
});

it("should say that it survives nothing", () => {
  expect(new MemoryStore()).toMatchObject({ name: "memory", durability: "none" });
  expect(() => new MemoryStore({ keepAuditRows: 0 })).toThrow(TypeError);
});

it("should forget what is over without being told to", async () => {
  let now = 0;
  const store = new MemoryStore({ now: () => now });
  const who = { tenant: "t", principal: "p" };
  const bytes = new Uint8Array(1);
  for (let index = 0; index < 5000; index++) {
    now += 1;
    await store.artifacts.put({ id: `a${index}`, ...who, mediaType: "m", sha256: "s", ttlMs: 10, bytes });
  }
  // An id that is remembered is taken; one that is forgotten is free.
  const put = (id: string): Promise<unknown> =>
    store.artifacts.put({ id, ...who, mediaType: "m", sha256: "s", ttlMs: 10, bytes });
  await expect(put("a4999")).rejects.toThrow("is taken");
  await expect(put("a100")).resolves.toMatchObject({ id: "a100" });
});

/** What a store might do wrong, one each. */
const mistakes: Record<string, (store: MemoryStore) => void> = {
  "admits a seq twice": ({ sessions }) => {
    const admit = sessions.admit.bind(sessions);
    sessions.admit = async (admission) => {
      const result = await admit(admission);
      if (result.status !== "stale") return result;
      return { status: "admitted", session: result.session, calls: result.calls };
    };
  },
  "shares its records": ({ sessions }) => {
    const read = sessions.readCall.bind(sessions);
    const shared = new Map<string, Awaited<ReturnType<typeof read>>>();
    sessions.readCall = async (session, call) => {
      const found = await read(session, call);
      if (found?.outcome) shared.set(call, shared.get(call) ?? found);
      return shared.get(call) ?? found;
    };
  },
  "tells what did not happen": ({ operations, audit }) => {
    const finish = operations.finish.bind(operations);
    operations.finish = async (claim, result, together = {}) => {
      const done = await finish(claim, result, together);
      if (!done) await audit.append([], { events: together.events ?? [] });
      return done;
    };
  },
  "loses an event beside an answer": ({ sessions }) => {
    const answer = sessions.answer.bind(sessions);
    sessions.answer = (given) => answer(given);
  },
  "lets a consumer go back": ({ outbox }) => {
    const acknowledge = outbox.acknowledge.bind(outbox);
    outbox.acknowledge = async (consumer, upTo) => {
      await acknowledge(consumer, upTo);
      await outbox.forget(consumer);
      return acknowledge(consumer, upTo);
    };
  },
  "does not say what a consumer has missed": ({ outbox }) => {
    const read = outbox.read.bind(outbox);
    outbox.read = async (range) => {
      const { events, last } = await read(range);
      return { events, last };
    };
  },
  "drops what a consumer still needs": (store) => {
    const prune = store.prune.bind(store);
    store.prune = (retention) => prune({ outboxRows: 1, ...retention });
  },
  "gives up rows that no checkpoint gives up": ({ audit }) => {
    const add = audit.addCheckpoint.bind(audit);
    audit.addCheckpoint = (checkpoint) => add({ ...checkpoint, from: checkpoint.index });
  },
  "takes a checkpoint of another row": ({ audit }) => {
    const add = audit.addCheckpoint.bind(audit);
    audit.addCheckpoint = async (checkpoint) => {
      const [row] = await audit.read({ limit: 1 });
      return add({ ...checkpoint, hash: checkpoint.index === row?.index ? row.hash : checkpoint.hash });
    };
  },
  "starts without looking at the approval": ({ operations }) => {
    const start = operations.start.bind(operations);
    operations.start = (request, { approval: _, ...options }) => start(request, options);
  },
  "forgets the audit rows of a start": ({ operations }) => {
    const start = operations.start.bind(operations);
    operations.start = (request, { audit: _, ...options }) => start(request, options);
  },
  "lets a key free that must stay known": ({ operations }) => {
    const start = operations.start.bind(operations);
    operations.start = ({ keepMs: _, ...request }, options) => start(request, options);
  },
  "writes what goes along with a lost claim": ({ operations, audit }) => {
    const finish = operations.finish.bind(operations);
    operations.finish = async (claim, result, along) => {
      const kept = await finish(claim, result, along);
      if (!kept) await audit.append(along?.audit ?? []);
      return kept;
    };
  },
  "abandons nothing": ({ operations }) => {
    operations.abandon = async () => true;
  },
  "shows artifacts to everybody in the tenant": ({ artifacts }) => {
    const read = artifacts.read.bind(artifacts);
    artifacts.read = (id, { tenant }, range) => read(id, { tenant, principal: "ann" }, range);
  },
  "gives a catalog that comes back its old epoch": ({ catalog }) => {
    const epoch = catalog.epoch.bind(catalog);
    catalog.epoch = (digest) => epoch(digest, 0);
  },
};

it.each(Object.keys(mistakes))("should find a store out that %s", async (name) => {
  const found: string[] = [];
  for (const { name: part, run } of storeSuite) {
    await run(async ({ now }) => {
      const store = new MemoryStore({ now });
      mistakes[name]?.(store);
      return store;
    }).catch((error: Error) => found.push(`${part}: ${error.message}`));
  }
  expect(found).not.toEqual([]);
});
