import type { JsonValue } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { openPostgres } from "../src/index.ts";
import { newSchema, skip, url, why } from "./stores.ts";

// Both sides of what belongs together: what one store writes, another one reads; what is taken, is given back.

describe.skipIf(skip)(`two stores on one database${why}`, () => {
  const stores: RouterStore[] = [];
  beforeAll(async () => {
    const schema = newSchema();
    stores.push(await openPostgres({ url, schema }), await openPostgres({ url, schema }));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });

  async function taken(store: RouterStore, key: string) {
    const result = await store.operations.claim(claimRequest({ key, leaseMs: 60_000 }));
    if (result.status !== "claimed") throw new Error(`expected a claim, not ${result.status}`);
    return result.claim;
  }

  it("what one wrote / what the other reads, and a store in memory, whatever the value", async () => {
    const [writer, reader] = stores as [RouterStore, RouterStore];
    const memory = new MemoryStore();
    const values = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<JsonValue>;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom("done", "failed"), async (outcome, state) => {
        const key = `k${++count}`;
        const records: unknown[] = [];
        for (const [store, from] of [
          [writer, reader],
          [memory, memory],
        ] as const) {
          const claim = await taken(store, key);
          expect(await store.operations.begin(claim, { of: outcome })).toBe(true);
          expect(await store.operations.finish(claim, { state, outcome } as never)).toBe(true);
          const found = await from.operations.read(claimRequest({ key }));
          records.push({ state: found?.state, data: found?.data, outcome: found?.outcome, owner: found?.owner });
        }
        const text = JSON.parse(JSON.stringify(outcome)) as JsonValue;
        expect(records[0]).toEqual({ state, data: { of: text }, outcome: text, owner: "router-a" });
        expect(records[0]).toEqual(records[1]);
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  it.each(["released", "abandoned", "finished"])(
    "a key that is taken / the same key, %s by its holder: the other store sees both",
    async (how) => {
      const [one, other] = stores as [RouterStore, RouterStore];
      const claim = await taken(one, how);
      const request = claimRequest({ key: how, owner: "router-b" });
      expect((await other.operations.claim(request)).status).toBe("busy");
      const given =
        how === "released"
          ? one.operations.finish(claim, { state: "released" })
          : how === "abandoned"
            ? one.operations.abandon(claim)
            : one.operations.finish(claim, { state: "done", outcome: 1 });
      expect(await given).toBe(true);
      const again = await other.operations.claim(request);
      if (how === "finished") expect(again).toMatchObject({ status: "replay", record: { state: "done", outcome: 1 } });
      else {
        expect(again.status).toBe("claimed");
        // What was given back is no longer its holder's.
        expect(await one.operations.begin(claim)).toBe(false);
        if (again.status === "claimed") expect(again.claim.fence).toBeGreaterThan(claim.fence);
      }
    },
  );

  // A NUL, halves of pairs, quotes, what looks like the store's own names, and more than an index takes.
  const hostile = ["a\0b", "\ud800x\udc00", '\u{10ffff}"x"', "'\"`\\$1 @operations; --", "\\x00", "🐘".repeat(2_500)];
  it.each(hostile.map((text, at) => [at, text] as const))("a hostile text / the same text (%i)", async (at, text) => {
    const [one, other] = stores as [RouterStore, RouterStore];
    const short = text.slice(0, 100);
    const who = { tenant: short, principal: `${short}${at}` };
    const session = { id: `${short}${at}`, ...who, agentId: text, features: [text], view: text, ttlMs: 60_000 };
    await one.sessions.create(session);
    expect(await other.sessions.read(session.id, who)).toMatchObject({ agentId: text, features: [text], view: text });
    const operation = { scope: text, key: `${text}${at}` };
    const frame = (seq: number, callId: string) => ({
      ...{ sessionId: session.id, ...who, frameId: `${short}${seq}`, digest: text, seq, keepFrames: 1 },
      calls: [{ callId, digest: text, timeoutMs: 1, operation }],
    });
    for (const seq of [1, 2, 3, 4]) {
      expect(await one.sessions.admit(frame(seq, `${short}${seq}`))).toMatchObject({ status: "admitted" });
    }
    expect(await other.sessions.readCall(session.id, `${short}4`)).toMatchObject({ operation, digest: text });
    const request = claimRequest({ ...operation, fingerprint: text, owner: text });
    const begun = await one.operations.start(request, { data: { text }, effectId: short });
    if (begun.status !== "claimed") throw new Error(begun.status);
    expect(await one.operations.doubt(begun.claim, text)).toBe(true);
    expect(await other.operations.read(operation)).toMatchObject({ ...operation, data: { text }, reason: text });
    expect(await other.operations.read({ scope: "s", key: "k" }, short)).toMatchObject(operation);
    expect(await other.operations.settle(operation, { state: "done", outcome: text }, text)).toBe(true);
    expect(await one.operations.read(operation)).toMatchObject({ outcome: text, settled: { by: text } });
    // A log takes no halves of pairs.
    const isLine = !/\p{Cs}/u.test(text);
    if (isLine) await one.logs.append(`hostile ${at}`, [text], 0);
    expect(await other.logs.read(`hostile ${at}`)).toEqual(isLine ? [text] : undefined);
    await one.catalog.putView(`${short}${at}`, { [text]: text });
    expect(await other.catalog.readView(`${short}${at}`)).toEqual({ [text]: text });
    const artifact = {
      id: `${short}${at}`,
      ...who,
      mediaType: text,
      sha256: text,
      ttlMs: 1_000,
      bytes: new Uint8Array(1),
    };
    await one.artifacts.put(artifact);
    expect(await other.artifacts.read(artifact.id, who)).toMatchObject({ artifact: { mediaType: text } });
  });
});
