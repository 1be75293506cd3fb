import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLong, isThorough, someOf } from "@toolglot/internal/testing";
import type { Admission, Pending, RouterStore } from "@toolglot/trp-core/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  admission,
  answerOf,
  approved,
  auditEntry,
  claimRequest,
  oneCall,
  openSession,
  operation,
  resultOutcome,
  started,
  wantedApproval,
  who,
} from "../../trp-core/src/store-suite/fixtures.ts";
import { isLost } from "../src/errors.ts";
import { migratePostgres } from "../src/index.ts";
import { openStore } from "../src/open-postgres.ts";
import { type Cut, CuttingProxy, commits } from "./cutting-proxy.ts";
import { emptied, newSchema, query, skip, url, why } from "./stores.ts";

// The connection ends around a commit, and the method must come to the same as with a connection that doesn't: nothing is
// written twice, nothing is lost, and the caller is told what is so.

const audit = [auditEntry("a")];
const events = [{ type: "call.resumed", attempt: 2 } as never];
const together = { audit, events };
const answer = answerOf(1, { a: resultOutcome("a") });
const bytes = new Uint8Array(300_000).fill(7);
const artifact = { id: "art", ...who, mediaType: "m", sha256: "s", ttlMs: 60_000, bytes };

/** What a method is called on, and what it is called with. */
interface Scenario {
  prepare?(store: RouterStore): Promise<unknown>;
  act(store: RouterStore, prepared: never): Promise<unknown>;
}
const scenario = <T>(
  prepare: (store: RouterStore) => Promise<T>,
  act: (store: RouterStore, prepared: T) => unknown,
): Scenario => ({
  prepare,
  act: act as Scenario["act"],
});
const plain = (act: (store: RouterStore) => unknown): Scenario => ({ act: act as Scenario["act"] });
const inSession = (act: (store: RouterStore) => unknown): Scenario => scenario((store) => openSession(store), act);
const begun = async (store: RouterStore) => {
  await openSession(store);
  await store.sessions.admit(admission(1, { calls: oneCall("a", { operation }) }));
  return await started(store);
};
/** An admission that waits for what is written with it. */
async function pending(store: RouterStore, more: Partial<Admission>): Promise<Pending> {
  const found = await store.sessions.admit({ ...admission(2, more), mayExpect: true });
  if (found.status !== "admitted" || found.pending === undefined) throw new Error("nothing is expected");
  return found.pending;
}
const known = async (store: RouterStore): Promise<void> => {
  await openSession(store);
  await store.sessions.admit(admission(1));
};

const both: Record<string, Scenario> = {
  "sessions.create": plain((store) => openSession(store)),
  "sessions.setView": inSession((store) => store.sessions.setView("sess", "view-1", "view-2")),
  "sessions.admit": inSession((store) => store.sessions.admit(admission(1, { calls: oneCall("a") }))),
  "sessions.admit of no call": inSession((store) => store.sessions.admit(admission(1))),
  "sessions.admit of two calls": inSession((store) =>
    store.sessions.admit(admission(1, { calls: [...oneCall("a"), ...oneCall("b")] })),
  ),
  "sessions.answer": scenario(begun, (store) => store.sessions.answer(answer, together)),
  "sessions.cancelCall": scenario(begun, (store) => store.sessions.cancelCall("sess", "a")),
  "operations.claim": plain((store) => store.operations.claim(claimRequest())),
  "operations.takeOver": plain((store) => store.operations.takeOver(claimRequest(), 0)),
  "operations.start": plain((store) => store.operations.start(claimRequest(), { ...together, data: { n: [1] } })),
  "operations.start for a call": scenario(
    async (store) => {
      await openSession(store);
      await store.sessions.admit(admission(1, { calls: oneCall("a", { operation }) }));
    },
    (store) => store.operations.start(claimRequest(), { audit, unlessCancelled: { sessionId: "sess", callId: "a" } }),
  ),
  "operations.start by an approval": scenario(
    (store) => approved(store),
    (store, { id }) =>
      store.operations.start(claimRequest(), { audit, approval: { kind: "record", id, fingerprint: "print-1" } }),
  ),
  "operations.start by a token": plain((store) =>
    store.operations.start(claimRequest(), { audit, approval: { kind: "token", jti: "j", expiresAt: 9e15 } }),
  ),
  "operations.begin": scenario(
    async (store) => {
      const found = await store.operations.claim(claimRequest());
      if (found.status !== "claimed") throw new Error(found.status);
      return found.claim;
    },
    (store, claim) => store.operations.begin(claim, { b: 1 }, together),
  ),
  "operations.renew": scenario(begun, (store, claim) => store.operations.renew(claim, 2_000)),
  "operations.finish": scenario(begun, (store, claim) =>
    store.operations.finish(claim, { state: "done", outcome: { ok: true } }, { ...together, answer }),
  ),
  "operations.finish that gives back": scenario(begun, (store, claim) =>
    store.operations.finish(claim, { state: "released" }, together),
  ),
  "operations.doubt": scenario(begun, (store, claim) => store.operations.doubt(claim, "why", together)),
  "operations.settle": scenario(
    async (store) => store.operations.doubt(await begun(store), "why"),
    (store) => store.operations.settle(operation, { state: "failed", outcome: 1 }, "boss", together),
  ),
  "operations.abandon": scenario(begun, (store, claim) => store.operations.abandon(claim)),
  "parts.add": scenario(begun, (store, claim) =>
    store.parts.add(claim, [{ kind: "PROGRESS", stage: "s", message: "m", attempt: 1 }], { keep: 9 }),
  ),
  "approvals.request": plain((store) => store.approvals.request(wantedApproval({ outbox: true } as never))),
  "approvals.decide": scenario(
    (store) => store.approvals.request(wantedApproval()),
    (store, { record }) => store.approvals.decide(record.id, { status: "denied", by: "boss" }, together),
  ),
  "audit.append": plain((store) => store.audit.append(audit, { events })),
  "outbox.acknowledge": scenario(
    (store) => store.audit.append([], { events }),
    (store) => store.outbox.acknowledge("webhook", 1),
  ),
  "outbox.forget": scenario(
    (store) => store.outbox.acknowledge("webhook", 0),
    (store) => store.outbox.forget("webhook"),
  ),
  "artifacts.put": plain((store) => store.artifacts.put(artifact)),
  "catalog.epoch": plain((store) => store.catalog.epoch("digest", 1)),
  "logs.append": plain((store) => store.logs.append("log", ["one", "two"], 0)),
  "logs.delete": scenario(
    (store) => store.logs.append("log", ["one"], 0),
    (store) => store.logs.delete("log", 1),
  ),
  "blobs.put": plain((store) => store.blobs.put("blob", bytes)),
  "blobs.put in place of another": scenario(
    (store) => store.blobs.put("blob", bytes),
    (store) => store.blobs.put("blob", bytes.subarray(9)),
  ),
  "blobs.delete": scenario(
    (store) => store.blobs.put("blob", bytes),
    (store) => store.blobs.delete("blob"),
  ),
  prune: plain((store) => store.prune()),
};
/** These are always one statement. */
const alike: Record<string, Scenario> = {
  "rates.take": plain((store) => store.rates?.take("key", { limit: 1, windowMs: 60_000 })),
  ping: plain((store) => store.ping()),
};
/** These are only expected in one statement. */
const joined: Record<string, Scenario> = {
  "an admission with a start": scenario(known, async (store) => {
    const { token, result } = await pending(store, { calls: oneCall("a", { operation }) });
    const call = { sessionId: "sess", callId: "a" };
    const options = { ...together, ifAdmitted: token, unlessCancelled: call };
    return await Promise.all([store.operations.start(claimRequest(), options), result]);
  }),
  "an admission with an answer": scenario(known, async (store) => {
    const { token, result } = await pending(store, { calls: oneCall("a") });
    const own = answerOf(2, { a: resultOutcome("a") });
    return await Promise.all([store.sessions.answer(own, { ...together, ifAdmitted: token }), result]);
  }),
};
/** These have a fast way and a slow one; all else is the same code. */
const twofold = /^sessions\.(admit|answer)|^operations\.(claim|start|begin|renew|finish)$/;
const allCases = [true, false].flatMap((isFast) =>
  Object.entries({ ...both, ...(isFast && { ...alike, ...joined }) })
    .filter(([name]) => isFast || isLong || twofold.test(name))
    .map(([name, one]) => ({ name, isFast, ...one })),
);
/** A case takes two seconds. */
const cases = someOf(
  allCases,
  isThorough ? 8 : 4,
  allCases.filter(({ name }) => name in joined),
);

describe.skipIf(skip)(`a connection that ends around a commit${why}`, () => {
  const proxy = new CuttingProxy();
  const schema = newSchema();
  const time = 1_760_000_000_000;
  const stores = new Map<boolean, RouterStore>();
  const errors: Error[] = [];
  let address: string;
  async function open(isFast: boolean): Promise<void> {
    await stores.get(isFast)?.close();
    // To empty the tables between the cases is to lose what they held.
    const onError = (error: Error): void => void (isLost(error) || errors.push(error));
    const options = { url: address, schema, now: () => time, onLostWrites: "report", onError } as const;
    stores.set(isFast, await openStore(options, isFast));
  }
  beforeAll(async () => {
    // It has the rights that the README lists, and no others.
    await migratePostgres({ url, schema });
    await query(async (client) => {
      const rights = /```sql\n(GRANT[\s\S]*?)```/.exec(
        readFileSync(join(import.meta.dirname, "../README.md"), "utf8"),
      )?.[1];
      const own = (rights ?? "")
        .replace(/.* DATABASE .*\n/, "")
        .replaceAll("toolglot", schema)
        .replaceAll("router", schema);
      await client.query(`CREATE ROLE ${schema} LOGIN PASSWORD 'x'; ${own}`);
    });
    const at = new URL(await proxy.listen());
    [at.username, at.password] = [schema, "x"];
    address = at.href;
    for (const isFast of [true, false]) await open(isFast);
  });
  afterAll(async () => {
    for (const store of stores.values()) await store.close();
    await proxy.close();
    await query((client) => client.query(`DROP OWNED BY ${schema}; DROP ROLE ${schema}`));
  });

  /** Returns the answer of the method, and all that the tables hold then. */
  async function come({ name, isFast, prepare, act }: (typeof cases)[number], cut: Cut | undefined): Promise<unknown> {
    await emptied(schema);
    // A store expects nothing of ids that it has seen.
    if (name in joined) await open(isFast);
    const store = stores.get(isFast) as RouterStore;
    const prepared = await prepare?.(store);
    await store.audit.head();
    const { cuts } = proxy;
    if (cut !== undefined) proxy.cut(cut, commits);
    const result = await act(store, prepared as never);
    expect(proxy.cuts - cuts).toBe(cut === undefined ? 0 : 1);
    const { claim } = ((Array.isArray(result) ? result[0] : result) ?? {}) as { claim?: never };
    const isHeld = claim && (await store.operations.renew(claim, 1_000));
    await store.audit.head();
    await store.outbox.read({ after: 0 });
    return plainOf({ result, isHeld, tables: await tablesOf(schema) });
  }

  const wanted = new Map<string, unknown>();
  it.each(cases)("should change nothing of $name (fast: $isFast)", async (one) => {
    // Both ways must leave the same.
    if (!wanted.has(one.name)) wanted.set(one.name, await come(one, undefined));
    const cuts = isLong ? (["after", "before"] as const) : (["after"] as const);
    for (const cut of cuts) expect(await come(one, cut), cut).toEqual(wanted.get(one.name));
    expect(errors.splice(0)).toEqual([]);
  });
});

/** Numbers that may have gaps, and what only one of the two ways writes. */
const others = new Set(["fence", "write_id", "session"]);
function plainOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, one) => (others.has(key) ? undefined : one)));
}

/** All rows of the tables, without numbers of identity columns. */
async function tablesOf(schema: string): Promise<Record<string, unknown>> {
  return await query(async (client) => {
    const tables = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1", [schema]);
    const found: Record<string, unknown> = {};
    for (const { tablename } of tables.rows) {
      if (["commits", "meta", "heartbeats", "migrating"].includes(tablename)) continue;
      const sql = `SELECT to_jsonb(t) - ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> '')
        AS row FROM ${schema}.${tablename} t ORDER BY 1`;
      found[tablename] = (await client.query(sql, [`${schema}.${tablename}`])).rows.map(({ row }) => row);
    }
    return found;
  });
}
