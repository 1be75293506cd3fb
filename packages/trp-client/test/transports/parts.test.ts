import { isLong, rounds } from "@toolglot/internal/testing";
import { createRouter, defineCapability, MemoryStore, type Router } from "@toolglot/trp-core";
import type { PartialResultEvent } from "@toolglot/trp-core/frames";
import { describe, expect, it, type TestContext, vi } from "vitest";
import { createClient, type Transport } from "../../src/index.ts";
import { type Carried, type Carrier, carriers } from "./carriers.ts";

/** Two routers on one store, and a capability that says what the test wants said. */
function routers({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const runs: { say(text: string): void; end(value: unknown): void }[] = [];
  const talk = defineCapability({
    ...{ capId: "cap.talk.v1", name: "talk", description: "Talks.", riskTier: "LOW", ioClass: "WRITE" },
    ...{ effect: "keyed", args: {} },
    execute: (_, { progress }) => new Promise((resolve) => runs.push({ say: progress, end: resolve })),
  });
  const store = new MemoryStore();
  const make = (): Router => {
    const options = { store, allowVolatile: true, capabilities: [talk], times: { recoverEveryMs: 0 } };
    const router = createRouter(options);
    onTestFinished(() => router.close({ graceMs: 0 }));
    return router;
  };
  return { runs, one: make(), other: make() };
}

/** A client that never listens: each question has one answer. */
function polling(name: string): Carrier {
  const carrier = carriers.find((one) => one.name === name) as Carrier;
  return {
    ...carrier,
    name: `${name}, polling`,
    async start(router, limits) {
      const carried = await carrier.start(router, limits);
      const transport = (token?: string): Transport => {
        const made = carried.transport(token);
        return { send: (frame, { signal }) => made.send(frame, { signal }), close: () => made.close() };
      };
      return { ...carried, transport };
    },
  };
}

const cut = [...carriers.filter(({ name }) => !/process|handler/.test(name)), polling("HTTP by node:http")];
// A client that was cut off waits a while before it asks again: at all of them only in test:long.
const count = rounds(2, 5);

/** What happens to the connection around each part. */
const ways = {
  "after it came": { after: true },
  "in the midst of it": { bytes: 60 },
  "after it came, with the other router from then on": { after: true, moves: true },
  "in the midst of it, with the other router from then on": { bytes: 60, moves: true },
} as const;

describe.concurrent.each(cut)("partial results over $name", (carrier) => {
  it.for(Object.entries(ways).slice(isLong ? 0 : 3))(
    "come once each when the connection is cut at each of them %s",
    async ([, way], context) => {
      const { onTestFinished } = context;
      const { runs, one, other } = routers(context);
      const [near, far]: Carried[] = [await carrier.start(one), await carrier.start(other)];
      onTestFinished(async () => {
        await Promise.all([near?.close(0), far?.close(0)]);
      });
      const wire = near?.wire;
      if (near === undefined || wire === undefined || far?.wire === undefined) throw new Error("there are two wires");
      const targets = [far.wire.port, wire.target];
      const trp = createClient({
        transport: near.transport(),
        agentId: "t",
        retry: { baseMs: 1, capMs: 5, connectMs: 2_000, maxRetries: 100 },
      });
      onTestFinished(() => trp.close());
      const { callId } = await trp.callAsync({ capId: "cap.talk.v1", args: {}, timeoutMs: 600_000 });
      const heard: PartialResultEvent[] = [];
      const waited = trp.waitResult(callId, { onPart: (part) => heard.push(part) });
      for (let n = 1; n <= count; n++) {
        // The question is there, and waits.
        await vi.waitFor(() => expect(runs).toHaveLength(1));
        if ("bytes" in way) wire.faults = { cut: { way: "down", after: way.bytes } };
        runs[0]?.say(`part ${n}`);
        await vi.waitFor(() => expect(heard).toHaveLength(n), { timeout: 20_000 });
        if ("moves" in way) wire.target = targets[n % 2] as number;
        if ("after" in way) wire.cutAll();
      }
      runs[0]?.end("whole");
      const ended = await waited;
      expect(ended, JSON.stringify(ended)).toMatchObject({ status: "success", result: { data: "whole" } });
      expect(heard.map(({ event_id, message }) => [event_id, message])).toEqual(
        Array.from({ length: count }, (_, n) => [n + 1, `part ${n + 1}`]),
      );
      expect(runs).toHaveLength(1);
    },
  );
});
