import { createRouter, defineCapability, MemoryStore, type Router } from "@toolglot/trp-core";
import type { PartialResultEvent, RequestFrame } from "@toolglot/trp-core/frames";
import { afterEach, describe, expect, it } from "vitest";
import { type ClientOptions, createClient, type TrpClient } from "../../src/index.ts";
import { capabilities } from "../support.ts";
import { type Carried, type Carrier, carriers } from "./carriers.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A capability that runs until it is told to go on. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const capability = defineCapability({
    capId: "cap.gate.v1",
    name: "gate",
    description: "Waits until it is opened.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "keyed",
    args: { text: "string" },
    async execute({ text }, { progress, signal }) {
      progress({ stage: "begun", message: text });
      begin();
      await Promise.race([opened, new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))]);
      signal.throwIfAborted();
      progress({ stage: "opened", message: text });
      return { text };
    },
  });
  return { capability, open: () => open(), begun };
}

async function world(carrier: Carrier, limits?: Parameters<Carrier["start"]>[1]) {
  const effects: string[] = [];
  const held = gate();
  const router: Router = createRouter({
    store: new MemoryStore(),
    allowVolatile: true,
    limits: { frameBytes: 20_000 },
    capabilities: [...capabilities(effects), held.capability],
  });
  cleanUp.push(() => router.close({ graceMs: 0 }));
  const carried: Carried = await carrier.start(router, limits);
  cleanUp.push(() => carried.close(0));
  const client = (options: Partial<ClientOptions> = {}, token?: string): TrpClient => {
    const trp = createClient({
      transport: carried.transport(token),
      agentId: "t",
      retry: { baseMs: 1, capMs: 20, connectMs: 2_000 },
      ...options,
    });
    cleanUp.push(() => trp.close());
    return trp;
  };
  return { ...carried, router, effects, held, client };
}

describe.each(carriers)("over $name", (carrier) => {
  it("opens a session, reads the catalog, calls, batches, and answers a key again", async () => {
    const { client, effects } = await world(carrier);
    const trp = client();
    expect((await trp.hello()).features).toContain("CALL");
    expect((await trp.catalog()).rows.map(({ name }) => name)).toContain("add_note");
    expect(await trp.callByCap("cap.echo.v1", { text: "ü😀\n" })).toMatchObject({
      result: { data: { said: "ü😀\n" } },
    });
    const first = await trp.callByCap("cap.note.add.v1", { text: "one" }, { key: "k" });
    const again = await trp.callByCap("cap.note.add.v1", { text: "one" }, { key: "k" });
    expect([first.status, again.status, again.replayedFrom]).toEqual(["success", "success", first.callId]);
    const batch = await trp.batch([
      { capId: "cap.note.add.v1", args: { text: "two" } },
      { capId: "cap.note.add.v1", args: { wrong: 1 } },
    ]);
    expect(batch.results.map(({ status }) => status)).toEqual(["success", "refused"]);
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, n) => trp.callByCap("cap.note.add.v1", { text: `many ${n}` })),
    );
    expect(many.every(({ status }) => status === "success")).toBe(true);
    expect(new Set(effects).size).toBe(52);
    expect(effects).toHaveLength(52);
  });

  it("answers in any order, gives the parts of a long call as they come, and cancels", async () => {
    const { client, held } = await world(carrier);
    const trp = client();
    const sync = trp.callByCap("cap.gate.v1", { text: "sync" });
    await held.begun;
    expect((await trp.callByCap("cap.echo.v1", { text: "overtakes" })).status).toBe("success");
    const running = await trp.callAsync({ capId: "cap.gate.v1", args: { text: "async" } });
    expect(running.status).toBe("running");
    const parts: PartialResultEvent[] = [];
    let seen = (): void => {};
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const waited = trp.waitResult(running.callId, {
      onPart: (part) => {
        parts.push(part);
        seen();
      },
    });
    // It comes before the call is over.
    await first;
    const stopped = await trp.callAsync({ capId: "cap.gate.v1", args: { text: "stopped" } });
    expect(await trp.cancel(stopped.callId)).toBe("cancelling");
    expect((await trp.waitResult(stopped.callId)).status).toBe("failed");
    held.open();
    expect((await waited).result?.data).toEqual({ text: "async" });
    expect(parts.map(({ stage }) => stage)).toEqual(["begun", "opened"]);
    expect((await sync).status).toBe("success");
  });

  it("follows many calls at once", async () => {
    const { client, held } = await world(carrier);
    const trp = client();
    const running = await Promise.all(
      Array.from({ length: 20 }, (_, n) => trp.callAsync({ capId: "cap.gate.v1", args: { text: `${n}` } })),
    );
    const results = running.map(({ callId }) => trp.waitResult(callId));
    held.open();
    expect((await Promise.all(results)).map(({ result }) => result?.data)).toEqual(
      running.map((_, n) => ({ text: `${n}` })),
    );
  });

  it("refuses a frame that is too large, and goes on", async () => {
    const { client, effects } = await world(carrier);
    const trp = client();
    const other = trp.callByCap("cap.note.add.v1", { text: "beside" });
    const large = await trp.callByCap("cap.note.add.v1", { text: "x".repeat(21_000) });
    expect(large).toMatchObject({ status: "refused", dispatched: false, error: { code: "TRP_2008" } });
    expect((await other).status).toBe("success");
    expect(effects).toEqual(["beside"]);
  });

  it("stops waiting when the caller does, and keeps the connection for others", async () => {
    const { client, held } = await world(carrier);
    const trp = client();
    const controller = new AbortController();
    const call = trp.callByCap("cap.gate.v1", { text: "left" }, { signal: controller.signal, key: "left" });
    await held.begun;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "trp-client/aborted", data: { outcome: "unknown" } });
    expect((await trp.callByCap("cap.echo.v1", { text: "still" })).status).toBe("success");
    held.open();
    expect(await trp.callByCap("cap.gate.v1", { text: "left" }, { key: "left" })).toMatchObject({ status: "success" });
  });
});

describe.each(carriers.filter(({ hasTokens }) => hasTokens))("over $name", (carrier) => {
  it("lets nobody in whom it does not know", async () => {
    const { client } = await world(carrier);
    const trp = client({ retry: { connectMs: 0 } }, "bad");
    // A browser's WebSocket is not told why.
    const told = carrier.name.includes("browser")
      ? { code: "trp-client/unreachable", data: { outcome: "not-sent" } }
      : { code: "trp-client/refused", data: { error: { code: "TRP_4007" }, outcome: "not-sent" } };
    await expect(trp.hello()).rejects.toMatchObject(told);
  });
});

describe.each(carriers.filter(({ name }) => name !== "in process"))("over $name", (carrier) => {
  it("refuses more frames at a time than it takes, until there is room", async () => {
    const { transport, client, held } = await world(carrier, { framesInFlight: 1 });
    const shared = transport();
    const trp = client({ transport: shared });
    await trp.catalog();
    const call = trp.callByCap("cap.gate.v1", { text: "first" });
    await held.begun;
    expect(await shared.send(hello(1), { signal: new AbortController().signal })).toMatchObject({
      frame_id: "res_hello-1",
      payload: { error_code: "TRP_5003", nack_of_frame_id: "hello-1", dispatched: false, retryable: true },
    });
    const next = trp.callByCap("cap.echo.v1", { text: "later" });
    held.open();
    expect((await call).status).toBe("success");
    expect((await next).status).toBe("success");
  });

  it("refuses more frames in a second than it takes, with the time to wait", async () => {
    const { transport } = await world(carrier, { framesPerSecond: 5 });
    const shared = transport();
    cleanUp.push(() => shared.close());
    const sending = { signal: new AbortController().signal };
    const answers = (await Promise.all(Array.from({ length: 20 }, (_, n) => shared.send(hello(n), sending)))) as {
      frame_type: string;
      payload: { error_code?: string; retry_hint?: { backoff_ms: number } };
    }[];
    const refused = answers.filter(({ frame_type: type }) => type === "NACK");
    expect(refused.length).toBeGreaterThan(0);
    for (const { payload } of refused) {
      expect(payload.error_code).toBe("TRP_4006");
      expect(payload.retry_hint?.backoff_ms).toBeGreaterThan(0);
      expect(payload.retry_hint?.backoff_ms).toBeLessThanOrEqual(200);
    }
  });
});

/** Any number of them is good. */
function hello(n: number): RequestFrame {
  return {
    trp_version: "0.1",
    frame_type: "HELLO_REQ",
    session_id: null,
    frame_id: `hello-${n}`,
    trace_id: "t",
    timestamp_ms: 0,
    catalog_epoch: null,
    seq: null,
    payload: { agent_id: "t", supported_versions: ["0.1"] },
  };
}

describe.each(carriers.filter(({ name }) => !/process|handler/.test(name)))("over $name", (carrier) => {
  it("takes bytes in any pieces", async () => {
    const { client, wire } = await world(carrier);
    if (wire !== undefined) wire.faults = { pieces: 1 };
    const trp = client();
    expect(await trp.callByCap("cap.echo.v1", { text: "ü😀" })).toMatchObject({ result: { data: { said: "ü😀" } } });
  });

  it("does a keyed call once, wherever the connection is cut", async () => {
    const { client, wire, effects } = await world(carrier);
    if (wire === undefined) throw new Error("there is a wire");
    const trp = client();
    await trp.catalog();
    const before = { ...wire.carried };
    await trp.callByCap("cap.note.add.v1", { text: "whole" });
    const steps = carrier.name === "stdio" ? 2 : 6;
    for (const way of ["up", "down"] as const) {
      const size = wire.carried[way] - before[way];
      for (let step = 0; step < steps; step++) {
        wire.faults = { cut: { way, after: Math.floor((size * step) / steps) } };
        const result = await trp.callByCap("cap.note.add.v1", { text: `${way} ${step}` });
        expect(result.status).toBe("success");
      }
    }
    expect(effects).toHaveLength(1 + 2 * steps);
    expect(new Set(effects).size).toBe(effects.length);
  });

  it("follows a call over a connection that is cut", async () => {
    const { client, wire, held } = await world(carrier);
    const trp = client();
    const running = await trp.callAsync({ capId: "cap.gate.v1", args: { text: "x" } });
    const stages: string[] = [];
    let seen = (): void => {};
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const result = trp.waitResult(running.callId, {
      onPart: ({ stage }) => {
        stages.push(stage ?? "");
        seen();
      },
    });
    await first;
    wire?.cutAll();
    held.open();
    expect((await result).status).toBe("success");
    expect(stages).toEqual(["begun", "opened"]);
  });

  it("answers what it has before it closes, and takes nothing more", async () => {
    const { client, close, held, effects } = await world(carrier);
    const trp = client({ retry: { maxRetries: 0, connectMs: 0 } });
    await trp.catalog();
    const call = trp.callByCap("cap.gate.v1", { text: "last" });
    await held.begun;
    const running = await trp.callAsync({ capId: "cap.gate.v1", args: { text: "followed" } });
    // It is answered as it stands, so that nobody waits for it.
    const followed = trp.waitResult(running.callId).catch((error: { code: string }) => error.code);
    const closed = close(10_000);
    const late = await trp.callByCap("cap.note.add.v1", { text: "late" }).then(
      ({ status, error }) => `${status} ${error?.code}`,
      (error: { code: string }) => error.code,
    );
    expect(["refused TRP_5003", "trp-client/unreachable", "trp-client/no-answer"]).toContain(late);
    held.open();
    expect((await call).status).toBe("success");
    await closed;
    await followed;
    expect(effects).toEqual([]);
  });
});
