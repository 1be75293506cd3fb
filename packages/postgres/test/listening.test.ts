import type { RouterStore } from "@toolglot/trp-core/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgres, type PostgresOptions } from "../src/index.ts";
import { newSchema, query, skip, url, why } from "./stores.ts";

/** Nobody waits for so long: who is not woken, is found by the test's time limit. */
const ms = 3_600_000;
const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 60_000 };

async function open(options: Partial<PostgresOptions>): Promise<RouterStore> {
  const store = await openPostgres({ url, pool: 2, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Changes an operation, over and over, until somebody who waits for it is woken. */
async function changeUntil(store: RouterStore, key: string, woken: Promise<void>): Promise<void> {
  let isWoken = false;
  void woken.then(() => {
    isWoken = true;
  });
  while (!isWoken) {
    const found = await store.operations.claim({ ...request, key });
    if (found.status === "claimed") await store.operations.finish(found.claim, { state: "released" });
  }
}

/** How many connections of a schema listen. */
const listeners = (schema: string): Promise<number> =>
  query(async (client) => {
    const sql = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1";
    return (await client.query(sql, [`${schema}_wake`])).rows[0].n;
  });

describe.skipIf(skip)(`who waits for a change${why}`, () => {
  it("is woken by another process: by the end of an operation, and by a decision", async () => {
    const schema = newSchema();
    const [here, there] = [await open({ schema }), await open({ schema })];
    const { record } = await here.approvals.request(wanted("a"));
    const decided = here.approvals.whenChanged?.(record.id, { ms });
    const ended = here.operations.whenChanged?.({ scope: "s", key: "k" }, { ms }) as Promise<void>;
    // Messages keep their order: who has heard of the second wait knows of the first.
    await changeUntil(there, "k", ended);
    await there.approvals.decide(record.id, { status: "approved", by: "boss" });
    await decided;
    expect(await here.approvals.read(record.id)).toMatchObject({ status: "approved" });
  });

  it("is woken by its own process, without a connection that listens", async () => {
    const schema = newSchema();
    const store = await open({ schema, listenUrl: false });
    const ended = store.operations.whenChanged?.({ scope: "s", key: "k" }, { ms }) as Promise<void>;
    await changeUntil(store, "k", ended);
    expect(await listeners(schema)).toBe(0);
  });

  it("is woken once its connection is back", async () => {
    const schema = newSchema();
    const [here, there] = [await open({ schema }), await open({ schema })];
    await changeUntil(there, "k", here.operations.whenChanged?.({ scope: "s", key: "k" }, { ms }) as Promise<void>);
    expect(await listeners(schema)).toBe(2);
    const woken = here.operations.whenChanged?.({ scope: "s", key: "other" }, { ms });
    await query((client) =>
      client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
        `${schema}_wake`,
      ]),
    );
    await woken;
  });

  it("waits no longer than it was told to, than its signal, and than the store is open", async () => {
    const store = await open({ schema: newSchema() });
    const ending = new AbortController();
    const key = { scope: "s", key: "k" };
    await store.operations.whenChanged?.(key, { ms: 1 });
    const waiting = store.operations.whenChanged?.(key, { ms, signal: ending.signal });
    ending.abort();
    await waiting;
    await store.operations.whenChanged?.(key, { ms, signal: ending.signal });
    const left = store.approvals.whenChanged?.("none", { ms });
    await store.close();
    await left;
  });

  it("is told of by messages, and only while somebody waits", async () => {
    const schema = newSchema();
    const [here, there] = [await open({ schema }), await open({ schema })];
    await query(async (client) => {
      const heard: string[] = [];
      client.on("notification", ({ payload = "" }) => heard.push(payload));
      await client.query(`LISTEN "${schema}_wake"`);
      await changeUntil(there, "k", here.operations.whenChanged?.({ scope: "s", key: "k" }, { ms }) as Promise<void>);
      for (let at = 0; at < 50; at++) {
        const found = await there.operations.claim({ ...request, key: `${at}` });
        if (found.status === "claimed") await there.operations.finish(found.claim, { state: "done", outcome: at });
      }
      const woken = here.operations.whenChanged?.({ scope: "s", key: "other" }, { ms }) as Promise<void>;
      await changeUntil(there, "other", woken);
      await client.query("SELECT 1");
      const names = (what: string): Set<string> =>
        new Set(heard.flatMap((text) => (text.startsWith(what) ? text.split(" ").slice(1) : [])));
      expect(names("changed").size).toBe(2);
      expect(names("waits")).toEqual(names("changed"));
    });
  });
});

function wanted(id: string): Parameters<RouterStore["approvals"]["request"]>[0] {
  return {
    ...{ id, tenant: "t", requester: "agent", operation: { scope: "s", key: id }, capId: "cap.x.pay.v1" },
    ...{ fingerprint: "f", args: {}, riskTier: "HIGH", reason: "pays", policyVersion: "1", ttlMs: 60_000 },
  };
}
