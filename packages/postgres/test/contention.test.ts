import { type RouterStore, verifyRows } from "@toolglot/trp-core/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  admission,
  answerOf,
  auditEntry,
  claimRequest,
  nackOutcome,
  oneCall,
  openSession,
  operation,
  resultOutcome,
  wantedApproval,
} from "../../trp-core/src/store-suite/fixtures.ts";
import { openStore } from "../src/open-postgres.ts";
import { newSchema, query, skip, url, why } from "./stores.ts";

// Two stores want the same rows at the same moment. Each case comes many times, because which one is first is left to chance.

const times = 12;

describe.skipIf(skip)(`two stores at once${why}`, () => {
  const schema = newSchema();
  const stores: RouterStore[] = [];
  beforeAll(async () => {
    // One of them takes the fast way, another one never.
    for (const isFast of [true, true, false]) stores.push(await openStore({ url, schema }, isFast));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });
  const again = async (act: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 0; n < times; n += 1) await act(n);
  };
  const statuses = (results: readonly { status: string }[]): string[] => results.map(({ status }) => status).sort();

  it("should begin a key once", async () => {
    await again(async (n) => {
      const request = (at: number) => claimRequest({ key: `once ${n}`, owner: `router-${at}` });
      const results = await Promise.all(stores.map((store, at) => store.operations.start(request(at), {})));
      expect(statuses(results)).toEqual(["busy", "busy", "claimed"]);
    });
  });

  it("should not begin a key for which an approval of other arguments is asked", async () => {
    const seen = new Set<string>();
    await again(async (n) => {
      const of = { ...operation, key: `asked ${n}` };
      const [asked, begun] = await Promise.all([
        (stores[n % 3] as RouterStore).approvals.request(
          wantedApproval({ id: `asked ${n}`, operation: of, fingerprint: "print-2", requester: `r${n}` }),
        ),
        (stores[(n + 1) % 3] as RouterStore).operations.start(claimRequest(of), {}),
      ]);
      seen.add(`${asked.status} ${begun.status}`);
    });
    for (const one of seen) expect(["created conflict", "conflict claimed"]).toContain(one);
  });

  it("should not begin a call after its canceller has found no operation", async () => {
    await openSession(stores[0] as RouterStore);
    await again(async (n) => {
      const [one, other] = [stores[n % 3], stores[(n + 1) % 3]] as [RouterStore, RouterStore];
      const callId = `call ${n}`;
      const of = { ...operation, key: callId };
      const admitted = await one.sessions.admit(admission(n + 1, { calls: oneCall(callId, { operation: of }) }));
      expect(admitted.status).toBe("admitted");
      const [begun, found] = await Promise.all([
        one.operations.start(claimRequest(of), { unlessCancelled: { sessionId: "sess", callId } }),
        other.sessions.cancelCall("sess", callId).then(() => other.operations.read(of)),
      ]);
      if (found === undefined) expect(begun.status).toBe("call-cancelled");
      expect(["claimed", "call-cancelled"]).toContain(begun.status);
    });
  });

  it("should spend a token once", async () => {
    await again(async (n) => {
      const approval = { kind: "token", jti: `token ${n}`, expiresAt: 9e15 } as const;
      const begin = (store: RouterStore, at: number) =>
        store.operations.start(claimRequest({ key: `spent ${n} ${at}` }), { approval });
      expect(statuses(await Promise.all(stores.map(begin)))).toEqual([
        "approval-refused",
        "approval-refused",
        "claimed",
      ]);
    });
  });

  it("should let one decide, and one use what was decided", async () => {
    await again(async (n) => {
      const of = { ...operation, key: `decided ${n}` };
      const wanted = wantedApproval({ id: `decided ${n}`, operation: of, requester: `d${n}` });
      const made = await Promise.all(stores.map((store) => store.approvals.request(wanted)));
      expect(statuses(made)).toEqual(["created", "existing", "existing"]);
      const decided = await Promise.all(
        stores.map((store, at) => store.approvals.decide(wanted.id, { status: "approved", by: `boss ${at}` })),
      );
      expect(decided.filter((one) => one !== undefined)).toHaveLength(1);
      const approval = { kind: "record", id: wanted.id, fingerprint: "print-1" } as const;
      const begun = await Promise.all(
        stores.map((store, at) => store.operations.start(claimRequest({ ...of, owner: `r${at}` }), { approval })),
      );
      expect(statuses(begun)).toEqual(["busy", "busy", "claimed"]);
    });
  });

  it("should begin no equal effect while the outcome of one is unknown", async () => {
    const [one] = stores as [RouterStore];
    const doubted = await one.operations.start(claimRequest({ key: "effect" }), { effectId: "effect" });
    if (doubted.status === "claimed") await one.operations.doubt(doubted.claim, "why");
    const results = await Promise.all(
      stores.map((store, at) => store.operations.start(claimRequest({ key: `effect ${at}` }), { effectId: "effect" })),
    );
    expect(statuses(results)).toEqual(["in-doubt", "in-doubt", "in-doubt"]);
  });

  it("should take both when two transactions lock each other", async () => {
    const [one, other] = stores as [RouterStore, RouterStore];
    // The order of a transaction of this test is the other way round: the frame's answer first, then its operation.
    for (const [n, store] of [one, stores[2] as RouterStore].entries()) {
      const callId = `locked ${n}`;
      const of = { ...operation, key: callId };
      const seq = (await one.sessions.read("sess", { tenant: "tenant", principal: "ann" }))?.expectedSeq ?? 1;
      await one.sessions.admit(admission(seq, { calls: oneCall(callId, { operation: of }) }));
      const begun = await one.operations.start(claimRequest(of), {});
      if (begun.status !== "claimed") throw new Error(begun.status);
      await query(async (client) => {
        await client.query(`SET deadlock_timeout = '10s'; BEGIN`);
        await client.query(`SELECT 1 FROM ${schema}.calls WHERE call_id = $1 FOR UPDATE`, [callId]);
        const answer = answerOf(seq, { [callId]: resultOutcome(callId) });
        const finishing = store.operations.finish(
          begun.claim,
          { state: "done", outcome: n },
          { answer, audit: [auditEntry(callId)] },
        );
        const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
        while ((await query((own) => own.query(waits))).rows.length === 0) {}
        // Whoever looks first ends the other one: here it is the store, which runs its transaction again.
        await client.query(`SELECT 1 FROM ${schema}.operations WHERE key = $1 FOR UPDATE`, [callId]);
        await client.query("COMMIT");
        expect(await finishing).toBe(true);
      });
      expect(await one.operations.read(of)).toMatchObject({ state: "done", outcome: n });
      expect((await other.sessions.readCall("sess", callId))?.outcome?.type).toBe("RESULT");
    }
    const ids = (await one.audit.read()).map(({ entry }) => entry.call_id).filter((id) => id.startsWith("locked"));
    expect(ids.sort()).toEqual(["locked 0", "locked 1"]);
  });

  it.each<[string, (store: RouterStore, seq: number, callId: string) => Promise<unknown> | unknown]>([
    ["its call comes again", ({ sessions }, seq, id) => sessions.admit(admission(seq, { calls: oneCall(id) }))],
    [
      "somebody asks about its call",
      ({ sessions }, seq, id) => sessions.admit(admission(seq, { asks: id, keepFrames: 1 })),
    ],
    [
      "another router refuses its call",
      ({ sessions }, seq, id) =>
        sessions.answer({ sessionId: "sess", frameId: `frame-${seq - 1}`, outcomes: [[id, nackOutcome(id, "frame")]] }),
    ],
  ])("should keep a result that is recorded while %s", async (about, act) => {
    const [one, , other] = stores as [RouterStore, RouterStore, RouterStore];
    const seq = (await one.sessions.read("sess", { tenant: "tenant", principal: "ann" }))?.expectedSeq ?? 1;
    await one.sessions.admit(admission(seq, { calls: oneCall(about) }));
    const { reply } = answerOf(seq, { [about]: resultOutcome(about) });
    // As the store does it when nothing stands in the way: only the row of the call is locked.
    const recorded = `UPDATE ${schema}.calls SET reply = $1 WHERE call_id = $2`;
    await query(async (client) => {
      await client.query("BEGIN");
      await client.query(recorded, [JSON.stringify(reply), about]);
      const acting = act(other, seq + 1, about);
      const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}".calls%'`;
      while ((await query((own) => own.query(waits))).rows.length === 0) {}
      await client.query("COMMIT");
      await acting;
    });
    expect((await one.sessions.readCall("sess", about))?.outcome).toEqual(resultOutcome(about));
  });

  it("should seal one chain, in which everything is that was committed before it is read", async () => {
    const before = (await (stores[0] as RouterStore).audit.read()).length;
    let count = 0;
    await Promise.all(
      stores.map(async (store, at) => {
        for (let n = 0; n < times; n += 1) {
          await store.audit.append([auditEntry(`sealed ${at} ${n}`)], { events: [{ type: "call.resumed" } as never] });
          count += 1;
          const told = count;
          expect((await store.audit.read()).length - before).toBeGreaterThanOrEqual(told);
          const { events } = await store.outbox.read({ after: 0, limit: 1_000 });
          expect(events.map(({ index }) => index)).toEqual(events.map((_, index) => index + 1));
          expect(events.length).toBeGreaterThanOrEqual(told);
        }
      }),
    );
    const rows = await (stores[0] as RouterStore).audit.read();
    expect(rows.length - before).toBe(times * stores.length);
    expect(verifyRows(rows, undefined)).toMatchObject({ ok: true });
    expect(new Set(rows.map(({ entry }) => entry.call_id)).size).toBe(rows.length);
  });

  it("should drop old tokens without waiting for one that somebody holds", async () => {
    const insert = `INSERT INTO ${schema}.tokens SELECT 'old ' || n, 'o', 0 FROM generate_series(1, 1500) AS n`;
    const left = async (): Promise<unknown> =>
      (await query((client) => client.query(`SELECT jti FROM ${schema}.tokens WHERE jti LIKE 'old %'`))).rows;
    await query(async (client) => {
      await client.query(insert);
      await client.query(`BEGIN; SELECT 1 FROM ${schema}.tokens WHERE jti = 'old 7' FOR UPDATE`);
      await stores[0]?.prune();
      expect(await left()).toEqual([{ jti: "old 7" }]);
    });
    await stores[0]?.prune();
    expect(await left()).toEqual([]);
  });

  it("should let one of two writers of a log go on", async () => {
    await again(async (n) => {
      const added = await Promise.all(stores.map((store, at) => store.logs.append("race", [`${n} ${at}`], n)));
      expect(added.filter(Boolean)).toHaveLength(1);
    });
    expect(await stores[0]?.logs.read("race")).toHaveLength(times);
  });

  it("should keep bytes that two write at once", async () => {
    const bytes = (n: number): Uint8Array => new Uint8Array(600_000).fill(n);
    await again(async (n) => {
      await Promise.all(stores.map((store, at) => store.blobs.put(`blob ${at % 2}`, bytes(n + (at % 2)))));
    });
    await stores[0]?.prune();
    for (const [at, store] of [stores[1], stores[2]].entries()) {
      const found = await store?.blobs.get(`blob ${at}`);
      expect(Buffer.compare(found as Uint8Array, bytes(times - 1 + at))).toBe(0);
    }
    const { rows } = await query((client) => client.query(`SELECT sum(uses)::int AS uses FROM ${schema}.blob_parts`));
    expect(rows[0].uses).toBe(2 * 3);
  });
});
