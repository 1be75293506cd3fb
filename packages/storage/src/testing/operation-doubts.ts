import { equal, like, truth } from "@toolglot/internal";
import { type Cases, claimed, day, done, lease, request, statusOf } from "./operation-claims.ts";

/** What a log does with an operation of which nobody knows whether it happened. */
export const doubtCases: Cases = {
  "should keep what is in doubt until it is settled": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 50 });
    await log.begin(claim);
    equal(await log.doubt(claim, "no answer"), true, "the doubt");
    advance(1_000 * day);
    const record = await log.read(request);
    like(record, { state: "in-doubt", reason: "no answer" }, "the record");
    equal(record?.expiresAt, undefined, "its end");
    equal(await statusOf(log, { abandoned: "reclaim" }), "in-doubt", "another claim");
    equal(await log.begin(claim), false, "a beginning");
    equal(await log.renew(claim, lease), false, "a renewal");
    equal(await log.finish(claim, done), false, "an end by its holder");
    equal(await log.settle(request, { state: "done", outcome: "asked" }, "ann"), true, "the settling");
    like(await log.claim(request), { status: "replay", record: { outcome: "asked" } }, "the replay");
    const settled = await log.read(request);
    equal([settled?.state, settled?.outcome, settled?.reason], ["done", "asked", undefined], "the record");
    like(settled?.settled, { by: "ann", happened: true, at: settled?.finishedAt }, "who said so");
    advance(50);
    equal(await statusOf(log, { fingerprint: "f2" }), "claimed", "a claim after its time");
    equal((await log.read(request))?.settled, undefined, "who said so, then");
  },
  "should take one word on a doubt, and none on anything else": async ({ log, advance }) => {
    const word = (by: string, fence?: number): Promise<boolean> =>
      log.settle({ ...request, ...(fence !== undefined && { fence }) }, { state: "failed", outcome: by }, by);
    equal(await word("nobody"), false, "of what nobody knows");
    const claim = await claimed(log);
    equal(await word("early"), false, "of a claim");
    await log.begin(claim, { handle: 1 });
    equal(await word("early", claim.fence), false, "of what is under way");
    advance(lease);
    equal(await word("early"), false, "of what was given up, before anybody asked for it");
    const fence = (await log.claim({ ...request, owner: "b" })).record.fence;
    equal(await word("late", claim.fence), false, "about another attempt");
    // Which of them comes first is nobody's promise: they may go over two connections.
    const words = await Promise.all([word("one", fence), word("other")]);
    equal(words.filter(Boolean).length, 1, "how many of two words are taken");
    const by = words[0] ? "one" : "other";
    const record = await log.read(request);
    like(record, { state: "failed", outcome: by, data: { handle: 1 } }, "the record");
    like(record?.settled, { by, happened: true }, "who said so");
    equal(await word("third"), false, "of what is settled");
  },
  "should free the key by a word that nothing happened, and keep who said so": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 500, keepMs: day });
    await log.begin(claim, "secret");
    await log.doubt(claim, "no answer");
    advance(10);
    equal(await log.settle(request, { state: "released" }, "bob"), true, "the word");
    const record = await log.read(request);
    const settled = { by: "bob", happened: false, at: record?.finishedAt };
    like(record, { state: "released", settled, fingerprint: "f1" }, "the record");
    equal([record?.data, record?.startedAt, record?.outcome], [undefined, undefined, undefined], "what was begun");
    equal(await log.begin(claim), false, "a beginning by the first holder");
    equal(await log.finish(claim, done), false, "its end");
    equal(await log.settle(request, { state: "done", outcome: 1 }, "eve"), false, "a second word");
    const next = await log.claim({ ...request, fingerprint: "f2", ttlMs: 300 });
    like(next, { status: "claimed", record: { settled, state: "claimed" } }, "a claim with another fingerprint");
    truth(next.record.fence > claim.fence, "the fence should have risen");
    const again = { ...claim, fence: next.record.fence };
    equal(await log.begin(again), true, "its beginning");
    like(await log.read(request), { state: "started", settled }, "the record, then");
    equal(await log.finish(again, done), true, "its end");
    equal((await log.read(request))?.settled, undefined, "who said so, at last");
  },
  "should forget who said that nothing happened in its time": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 100, keepMs: day });
    await log.doubt(claim, "no answer");
    await log.settle(request, { state: "released" }, "bob");
    advance(99);
    like(await log.read(request), { settled: { by: "bob" } }, "within its time");
    advance(1);
    equal(await log.read(request), undefined, "after it");
    equal((await log.claim(request)).record.settled, undefined, "a claim after it");
  },
};
