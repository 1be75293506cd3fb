import type { Answer, CallOutcome, ResponseFrame, StartResult } from "@toolglot/trp-core/store";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openPostgres } from "../src/index.ts";
import { emptyStore, query, shared, skip, url, why } from "./stores.ts";

const who = { tenant: "tenant", principal: "ann" };
const scope = "scope";

let store: Awaited<ReturnType<typeof emptyStore>>;
beforeEach(async () => {
  store = await emptyStore();
  const session = { id: "sess", ...who, agentId: "agent", features: [], view: "view", ttlMs: 60_000 };
  await store.sessions.create(session);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

/** The texts of the statements that are sent from now on. */
function sent(): string[] {
  const texts: string[] = [];
  const { query: send } = Client.prototype;
  vi.spyOn(Client.prototype, "query").mockImplementation(function (this: Client, ...given: unknown[]) {
    texts.push(textOf(given));
    return Reflect.apply(send, this, given);
  } as typeof send);
  return texts;
}

const textOf = ([first]: readonly unknown[]): string =>
  typeof first === "string" ? first : String((first as { text?: string }).text);

/** Lets the first statement that begins operations end in a connection that is lost: `before` it is sent, or `after` it was committed. */
function loseConnection(when: "before" | "after"): void {
  const { query: send } = Client.prototype;
  let isLost = false;
  vi.spyOn(Client.prototype, "query").mockImplementation(function (this: Client, ...given: unknown[]) {
    if (isLost || !textOf(given).includes("INSERT INTO") || !textOf(given).includes("unnest")) {
      return Reflect.apply(send, this, given);
    }
    isLost = true;
    const error = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const over = when === "after" ? Reflect.apply(send, this, given) : Promise.resolve();
    return (over as unknown as Promise<unknown>).then(() => Promise.reject(error));
  } as typeof send);
}

const frame = (seq: number, more: object = {}) => ({
  sessionId: "sess",
  ...who,
  frameId: `frame-${seq}`,
  digest: `digest-${seq}`,
  seq,
  calls: [{ callId: `call-${seq}`, digest: "digest", timeoutMs: 1000, operation: { scope, key: `key-${seq}` } }],
  ...more,
});

/** Admits a frame and begins its call's operation, as a router does. */
async function call(seq: number, key = `key-${seq}`): Promise<StartResult> {
  const admitted = await store.sessions.admit(frame(seq, { mayExpect: true }));
  if (admitted.status !== "admitted") throw new Error(admitted.status);
  const request = { scope, key, fingerprint: "print", owner: "router", leaseMs: 60_000 };
  const options = { ...(admitted.pending && { ifAdmitted: admitted.pending.token }) };
  const result = await store.operations.start(request, options);
  await admitted.pending?.result;
  return result;
}

const seqs = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** Runs a query of the tables of the store, which are written as `@operations`. */
async function ask(client: Client, sql: string): Promise<Record<string, unknown>[]> {
  return (await client.query(sql.replaceAll("@", `"${shared}".`))).rows;
}

const countOf = (table: string): Promise<number> =>
  query(async (client) => Number((await ask(client, `SELECT count(*) AS n FROM @${table}`))[0]?.n));

describe.skipIf(skip)(`calls at the same time on PostgreSQL${why}`, () => {
  it("should go together, also those of one session", async () => {
    const texts = sent();
    const results = await Promise.all(seqs(40).map((seq) => call(seq)));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "claimed"));
    expect(texts.filter((text) => /^(WITH|INSERT|UPDATE|BEGIN)/.test(text)).length).toBeLessThan(5);
    expect((await store.sessions.read("sess", who))?.expectedSeq).toBe(41);
  });

  it("should begin an operation once when two calls have its key", async () => {
    const results = await Promise.all([call(1, "same"), call(2, "same"), call(3, "other")]);
    expect(results.map(({ status }) => status).sort()).toEqual(["busy", "claimed", "claimed"]);
  });

  it("should admit no frame of somebody else that comes with the owner's", async () => {
    const results = await Promise.all([
      store.sessions.admit(frame(1)),
      store.sessions.admit(frame(2, { principal: "bob" })),
      store.sessions.admit(frame(2, { frameId: "own" })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["admitted", "no-session", "admitted"]);
  });

  it("should keep the order when one of several frames is not as usual", async () => {
    await call(1);
    // The second is known already, and its call with it.
    const admissions = [frame(1), frame(2), frame(3, { calls: [] }), frame(4)];
    const results = await Promise.all(admissions.map((one) => store.sessions.admit(one)));
    expect(results.map(({ status }) => status)).toEqual(["duplicate", "admitted", "admitted", "admitted"]);
  });

  it("should let two routers begin the same operations at the same time, each once", async () => {
    const other = await openPostgres({ url, schema: shared });
    const keys = seqs(30).map((n) => `key-${n}`);
    const request = (key: string, owner: string) => ({ scope, key, fingerprint: "print", owner, leaseMs: 60_000 });
    const results = await Promise.all([
      ...keys.map((key) => store.operations.start(request(key, "one"), {})),
      ...[...keys].reverse().map((key) => other.operations.start(request(key, "other"), {})),
    ]);
    await other.close();
    const claimed = results.flatMap((result) => (result.status === "claimed" ? [result.claim.key] : []));
    expect(claimed.sort()).toEqual([...keys].sort());
    expect(results.filter(({ status }) => status === "busy").length).toBe(keys.length);
  });

  it("should make nobody wait for what another call waits for", async () => {
    await store.sessions.create({ id: "free", ...who, agentId: "agent", features: [], view: "view", ttlMs: 60_000 });
    await query(async (client) => {
      await client.query("BEGIN");
      await ask(client, "SELECT 1 FROM @sessions WHERE id = 'sess' FOR UPDATE");
      let isAdmitted = false;
      const locked = Promise.resolve(store.sessions.admit(frame(1))).then(() => {
        isAdmitted = true;
      });
      const free = await store.sessions.admit(frame(1, { sessionId: "free" }));
      expect([free.status, isAdmitted]).toEqual(["admitted", false]);
      await client.query("ROLLBACK");
      await locked;
    });
  });

  it.each(["before", "after"] as const)("should be done once when the connection ends %s the commit", async (when) => {
    loseConnection(when);
    const results = await Promise.all(seqs(5).map((seq) => call(seq)));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "claimed"));
    expect([await countOf("operations"), await countOf("calls")]).toEqual([5, 5]);
    const claims = results.map((result) => (result.status === "claimed" ? result.claim : { scope, key: "", fence: 0 }));
    vi.restoreAllMocks();
    loseConnection("after");
    const end = { state: "done", outcome: { n: 1 } } as const;
    await Promise.all(claims.map((claim) => store.operations.begin(claim, { again: true })));
    expect(await Promise.all(claims.map((claim) => store.operations.finish(claim, end)))).toEqual(
      claims.map(() => true),
    );
    const records = await Promise.all(claims.map((claim) => store.operations.read(claim)));
    expect(records.map((record) => [record?.state, record?.data])).toEqual(claims.map(() => ["done", { again: true }]));
  });

  it("should read no calls of a session but those that are answered", async () => {
    const results = await Promise.all(seqs(60).map((seq) => call(seq)));
    const read = async (): Promise<number> => {
      // A backend tells what it has read when it ends.
      await store.close();
      store = await openPostgres({ url, schema: shared });
      const sql =
        "SELECT sum(idx_tup_read)::int AS n FROM pg_stat_user_indexes WHERE schemaname = $1 AND relname = 'calls'";
      return await query(async (client) => (await client.query<{ n: number }>(sql, [shared])).rows[0]?.n ?? 0);
    };
    const before = await read();
    const ended = results.map(async (result, at) => {
      const { claim } = result as Extract<StartResult, { status: "claimed" }>;
      const payload = { call_id: `call-${at + 1}`, status: "SUCCESS" };
      const reply = { frame_type: "RESULT", payload } as unknown as ResponseFrame;
      const outcome = { type: "RESULT", payload } as unknown as CallOutcome;
      const answer = { sessionId: "sess", frameId: `frame-${at + 1}`, reply, outcomes: [[`call-${at + 1}`, outcome]] };
      return await store.operations.finish(
        claim,
        { state: "done", outcome: null },
        { answer: answer as unknown as Answer },
      );
    });
    expect((await Promise.all(ended)).every((isDone) => isDone)).toBe(true);
    expect((await store.sessions.readCall("sess", "call-60"))?.outcome).toMatchObject({ type: "RESULT" });
    expect((await read()) - before).toBeLessThan(60 * 6);
  });
});
