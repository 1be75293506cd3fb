import { rounds } from "@toolglot/internal/testing";
import type { RequestFrame } from "@toolglot/trp-core/frames";
import fc from "fast-check";
import { expect, it } from "vitest";
import { clientError, createClient, inProcessTransport, type Transport } from "../src/index.ts";
import { plainRouter } from "./plain-router.ts";
import { agent, world } from "./support.ts";

/**
 * What happens to one frame: it never arrives, its answer is lost, it arrives twice (the second one later), it is late, or
 * something in between answers for the router.
 */
const faults = [
  "none",
  "none",
  "none",
  "unreachable",
  "lost-before",
  "lost-after",
  "twice",
  "late",
  "late-twice",
  "garbage",
] as const;
type Fault = (typeof faults)[number];

function faulty(
  send: (frame: RequestFrame, signal: AbortSignal) => Promise<unknown>,
  schedule: readonly Fault[],
): Transport {
  let at = 0;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const never = new AbortController().signal;
  return {
    async send(frame, { signal }) {
      const fault = schedule[at++] ?? "none";
      switch (fault) {
        case "unreachable":
          throw clientError("trp-client/unreachable", "no");
        case "lost-before":
          throw clientError("trp-client/no-answer", "lost");
        case "lost-after":
          await send(frame, never);
          throw clientError("trp-client/no-answer", "lost");
        case "twice":
          // The copy's answer, or its loss, is nobody's.
          send(frame, never).catch(() => {});
          return send(frame, signal);
        case "late":
          await wait(at % 7);
          return send(frame, signal);
        case "late-twice":
          wait(15)
            .then(() => send(frame, never))
            .catch(() => {});
          return send(frame, signal);
        case "garbage":
          await send(frame, never);
          return "<h1>Bad Gateway</h1>";
        default:
          return send(frame, signal);
      }
    },
    close: () => undefined,
  };
}

const schedules = fc.array(fc.constantFrom(...faults), { maxLength: 40 });
/** Frames, by their count, at which the router does its work, loses its answer and forgets its sessions. */
const crashes = fc.uniqueArray(fc.nat({ max: 14 }), { maxLength: 3 });
const retry = { baseMs: 1, capMs: 3, connectMs: 200, maxRetries: 5 };

it("does each operation at most once, and settles every promise, whatever happens to frames", async () => {
  await fc.assert(
    fc.asyncProperty(schedules, fc.integer({ min: 1, max: 12 }), async (schedule, count) => {
      const { router, effects } = world();
      const inner = inProcessTransport(router, agent);
      const transport = faulty((frame, signal) => inner.send(frame, { signal }), schedule);
      const trp = createClient({ transport, agentId: "t", retry, timeoutMs: 2000, requestTimeoutMs: 2000 });
      const ends = await Promise.allSettled(
        Array.from({ length: count }, (_, n) =>
          n % 3 === 0
            ? trp.callByCap("cap.echo.v1", { text: `r${n}` })
            : trp.callByCap("cap.note.add.v1", { text: `w${n}` }),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(new Set(effects).size).toBe(effects.length);
      ends.forEach((end, n) => {
        if (end.status === "rejected") {
          expect(end.reason.code).toMatch(/^trp-client\//);
          if (end.reason.data.outcome === "not-sent") expect(effects).not.toContain(`w${n}`);
          return;
        }
        const { status } = end.value;
        if (n % 3 === 0) expect(status).toBe("success");
        else if (status === "success") expect(effects).toContain(`w${n}`);
        else if (status === "refused") expect(effects).not.toContain(`w${n}`);
      });
      await trp.close();
      await router.close({ graceMs: 0 });
    }),
    { numRuns: rounds(25, 60) },
  );
}, 60_000);

it("does the same on a plain router, one frame at a time", async () => {
  await fc.assert(
    fc.asyncProperty(schedules, crashes, async (schedule, restarts) => {
      const router = plainRouter();
      let seen = 0;
      const transport = faulty(async (frame) => {
        const answer = JSON.parse(await router.answer(JSON.stringify(frame)));
        if (!restarts.includes(seen++)) return answer;
        router.restart();
        throw clientError("trp-client/no-answer", "crashed");
      }, schedule);
      const trp = createClient({ transport, agentId: "t", retry, timeoutMs: 2000, requestTimeoutMs: 2000 });
      const ends = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => trp.callByCap("cap.write.v1", { text: `w${n}` })),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(new Set(router.effects).size).toBe(router.effects.length);
      ends.forEach((end, n) => {
        if (end.status === "fulfilled" && end.value.status === "success") expect(router.effects).toContain(`w${n}`);
        if (end.status === "rejected" && end.reason.data.outcome === "not-sent") {
          expect(router.effects).not.toContain(`w${n}`);
        }
      });
      await trp.close();
    }),
    { numRuns: rounds(25, 60) },
  );
}, 60_000);

it("keeps batches whole under faults: each effect once, an outcome for each item", async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const { router, effects } = world();
      const inner = inProcessTransport(router, agent);
      const transport = faulty((frame, signal) => inner.send(frame, { signal }), schedule);
      const trp = createClient({ transport, agentId: "t", retry, timeoutMs: 2000, requestTimeoutMs: 2000 });
      const items = Array.from({ length: 5 }, (_, n) => ({ capId: "cap.note.add.v1", args: { text: `b${n}` } }));
      const [batch] = await Promise.allSettled([trp.batch(items)]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(new Set(effects).size).toBe(effects.length);
      if (batch?.status === "fulfilled") {
        expect(batch.value.results.map(({ callId }) => callId)).toHaveLength(5);
        batch.value.results.forEach(({ status }, n) => {
          if (status === "success") expect(effects).toContain(`b${n}`);
        });
      } else expect(batch?.reason.code).toMatch(/^trp-client\//);
      await trp.close();
      await router.close({ graceMs: 0 });
    }),
    { numRuns: rounds(20, 40) },
  );
}, 60_000);
