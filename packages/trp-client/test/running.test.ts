import { createServer, type Server } from "node:net";
import {
  type AnyCapability,
  bearerTokens,
  createFetchHandler,
  createRouter,
  defineCapability,
  MemoryStore,
  type Router,
} from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ClientOptions,
  createClient,
  fetchTransport,
  inProcessTransport,
  type Transport,
  type TrpClient,
} from "../src/index.ts";
import { httpTransport } from "../src/node/index.ts";
import { agent } from "./support.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A capability that says what it is told, and ends when it is told. */
function world(count = 1) {
  const runs: { say(text: string): void; end(value?: unknown): void; signal: AbortSignal }[] = [];
  const capability: AnyCapability = defineCapability({
    capId: "cap.long.v1",
    name: "long",
    description: "Takes long.",
    riskTier: "LOW",
    ioClass: "WRITE",
    effect: "keyed",
    args: { text: "string" },
    execute: (_, { progress, signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        runs.push({ say: progress, signal, end: (value = "done") => resolve(value) });
      }),
  });
  const store = new MemoryStore();
  const routers = Array.from({ length: count }, () =>
    createRouter({ store, allowVolatile: true, capabilities: [capability], times: { recoverEveryMs: 0 } }),
  );
  return { runs, routers, router: routers[0] as Router };
}

const authenticate = bearerTokens({ secret: { principal: "agent", roles: ["user"] } });
const bearer = (authorization: string | undefined) => authenticate(authorization?.replace(/^Bearer /, ""));

function client(transport: Transport, options: Partial<ClientOptions> = {}): TrpClient {
  const trp = createClient({ transport, agentId: "t", retry: { baseMs: 5, capMs: 50, connectMs: 2_000 }, ...options });
  cleanUp.push(() => trp.close());
  return trp;
}

/** Each way to a router. */
const ways: [string, (router: Router) => Promise<Transport> | Transport][] = [
  ["in process", (router) => inProcessTransport(router, agent)],
  // A transport that carries one answer for each frame.
  ["one by one", (router) => ({ send: (frame) => router.handle(frame, { principal: agent }), close: () => {} })],
  [
    "over node:http",
    async (router) => {
      const server = await serveHttp(router, { authenticate: bearer });
      cleanUp.push(() => server.close(0));
      return httpTransport({ url: server.url, token: "secret" });
    },
  ],
  [
    "over fetch",
    (router) => {
      const handle = createFetchHandler(router, { authenticate: bearer });
      const url = "http://router.test/";
      return fetchTransport({
        url,
        token: "secret",
        fetch: (target, init) => handle(new Request(target as URL, init)),
      });
    },
  ],
];

describe.each(ways)("a call that is left to the router, %s", (_, way) => {
  it("runs on, and is waited for and read part by part", async () => {
    const { router, runs } = world();
    const trp = client(await way(router));
    const running = await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } });
    expect(running).toMatchObject({ status: "running", capId: "cap.long.v1", key: expect.any(String), attempts: 1 });
    const { callId } = running;
    const heard: string[] = [];
    const waiting = trp.waitResult(callId, { onPart: ({ message }) => heard.push(message) });
    const parts: string[] = [];
    const reading = (async () => {
      const stream = trp.parts(callId);
      for (;;) {
        const step = await stream.next();
        if (step.done) return step.value;
        parts.push(step.value.message);
      }
    })();
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    runs[0]?.say("one");
    await vi.waitFor(() => expect([heard, parts]).toEqual([["one"], ["one"]]), { timeout: 5_000 });
    runs[0]?.say("two");
    runs[0]?.say("three");
    runs[0]?.end({ rows: 3 });
    const result = await waiting;
    expect(result).toMatchObject({ status: "success", callId, result: { data: { rows: 3 } } });
    expect(await reading).toMatchObject({ status: "success" });
    expect([heard, parts]).toEqual([
      ["one", "two", "three"],
      ["one", "two", "three"],
    ]);
    // Once more, and from the middle.
    const late: string[] = [];
    for await (const { message } of trp.parts(callId, { after: 2 })) late.push(message);
    expect(late).toEqual(["three"]);
    expect(runs).toHaveLength(1);
  });

  it("leaves room for other calls while it is followed, and can be cancelled", async () => {
    const { router, runs } = world();
    const trp = client(await way(router));
    const { callId } = await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } });
    const waits = Array.from({ length: 40 }, () => trp.waitResult(callId));
    const other = await trp.callAsync({ capId: "cap.long.v1", args: { text: "b" } });
    expect(other.status).toBe("running");
    expect(await trp.cancel(callId)).toBe("cancelling");
    const results = await Promise.all(waits);
    expect(results[0]).toMatchObject({ status: "failed", error: { code: "TRP_3005" }, dispatched: true });
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["failed"]));
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(await trp.cancel(callId)).toBe("failed");
    expect(await trp.cancel("nobody")).toBe("not-found");
    runs[1]?.end();
    expect((await trp.waitResult(other.callId)).status).toBe("success");
  });
});

describe("a call that is left to the router", () => {
  it("is refused at once when it can't start", async () => {
    const { router } = world();
    const trp = client(inProcessTransport(router, agent));
    const refused = await trp.callAsync({ capId: "cap.long.v1", args: { wrong: 1 } });
    expect(refused).toMatchObject({ status: "refused", error: { code: "TRP_2001" } });
    await expect(trp.waitResult("nobody")).rejects.toMatchObject({ code: "trp-client/refused" });
    expect(() => trp.parts("nobody", { after: -1 })).toThrow("after");
    await expect(trp.waitResult("nobody", { deadlineMs: 0 })).rejects.toThrow("deadlineMs");
    await expect(trp.waitResult("nobody", { onPrat: () => {} } as never)).rejects.toThrow("onPart");
  });

  it("says at the deadline that it still runs, and stops waiting when it is told", async () => {
    const { router, runs } = world();
    const trp = client(inProcessTransport(router, agent));
    const { callId, key } = await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } });
    expect(await trp.waitResult(callId, { deadlineMs: 30 })).toMatchObject({
      status: "unknown",
      error: { code: "TRP_3003" },
      key,
    });
    const stop = new AbortController();
    const waiting = trp.waitResult(callId, { signal: stop.signal });
    setTimeout(() => stop.abort(), 10);
    await expect(waiting).rejects.toMatchObject({ code: "trp-client/aborted" });
    // The same call again is the same operation.
    expect(await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } })).toMatchObject({
      status: "running",
      key,
    });
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    expect((await trp.waitResult(callId)).status).toBe("success");
  });

  it("is followed into a new session when the old one is lost: one effect, each part once", async () => {
    const { router, runs } = world();
    let isLost = false;
    const trp = client({
      close: () => {},
      send: async (frame) => {
        // The session is forgotten between two frames.
        if (isLost && frame.session_id !== null) {
          isLost = false;
          frame = { ...frame, session_id: "sess_gone" };
        }
        const answer = await router.handle(frame, { principal: agent });
        return frame.session_id === "sess_gone" ? answer : answer;
      },
    });
    const { callId } = await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } });
    const heard: string[] = [];
    const waiting = trp.waitResult(callId, { onPart: ({ message }) => heard.push(message) });
    runs[0]?.say("one");
    await vi.waitFor(() => expect(heard).toEqual(["one"]));
    isLost = true;
    await vi.waitFor(() => expect(isLost).toBe(false), { timeout: 5_000 });
    runs[0]?.say("two");
    await vi.waitFor(() => expect(heard).toEqual(["one", "two"]), { timeout: 5_000 });
    runs[0]?.end();
    expect(await waiting).toMatchObject({ status: "success" });
    expect(runs).toHaveLength(1);
  });

  it("loses and repeats no part when streams are cut anywhere, on one router or another", async () => {
    const { routers, runs } = world(2);
    const servers = await Promise.all(routers.map((router) => serveHttp(router, { authenticate: bearer })));
    for (const server of servers) cleanUp.push(() => server.close(0));
    let connections = 0;
    // Sends each connection to one of the routers, and cuts it after some bytes of an answer.
    const relay = await proxy(() => {
      const server = servers[connections++ % 2];
      return { url: new URL(server?.url ?? ""), cutAfter: 900 + ((connections * 1_997) % 5_000) };
    });
    const trp = client(httpTransport({ url: relay, token: "secret" }), {
      retry: { baseMs: 1, capMs: 5, maxRetries: 200 },
    });
    const { callId } = await trp.callAsync({ capId: "cap.long.v1", args: { text: "a" } });
    const heard: string[] = [];
    const waiting = trp.waitResult(callId, { onPart: ({ message }) => heard.push(message) });
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    const wanted = Array.from({ length: 120 }, (_, n) => `part ${n}`);
    for (const text of wanted) {
      runs[0]?.say(text);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    runs[0]?.end("whole");
    expect(await waiting).toMatchObject({ status: "success", result: { data: "whole" } });
    expect(heard).toEqual(wanted);
    expect(connections).toBeGreaterThan(5);
    expect(runs).toHaveLength(1);
  });

  it("can't be cancelled through a router that lacks the feature", async () => {
    const { router } = world();
    const trp = client(inProcessTransport(router, agent), { features: ["RESULT_FAILED"] });
    await expect(trp.cancel("c")).rejects.toMatchObject({ code: "trp-client/refused" });
  });
});

describe("a graph of calls", () => {
  it("passes results on in the router, and says what became of each call", async () => {
    const { router: bare } = world();
    const step = defineCapability({
      ...{ capId: "cap.step.v1", name: "step", description: "Adds one.", riskTier: "LOW", ioClass: "WRITE" },
      ...{ effect: "opaque", args: { n: "integer" } },
      execute: ({ n }) => ({ n: n + 1 }),
    });
    bare.registry.register(step);
    const trp = client(inProcessTransport(bare, agent));
    const call = (callId: string, n: unknown) => ({ capId: "cap.step.v1", callId, args: { n } as never });
    const done = await trp.dag([call("b", { $from: "a", path: "/data/n" }), call("a", 1)]);
    expect(done).toMatchObject({ status: "success", batchId: expect.stringContaining("dag") });
    expect(done.results.map(({ callId, result }) => [callId, result?.data])).toEqual([
      ["b", { n: 3 }],
      ["a", { n: 2 }],
    ]);
    const circle = await trp.dag([
      call("c", { $from: "d", path: "/data/n" }),
      call("d", { $from: "c", path: "/data/n" }),
    ]);
    expect(circle).toMatchObject({ status: "refused", results: [{ error: { code: "TRP_1005" } }, {}] });
    await expect(trp.dag([call("e", 1)], { mode: "PARALLEL" } as never)).rejects.toThrow("mode");
    const plain = client(inProcessTransport(bare, agent), { features: [] });
    expect(await plain.dag([call("f", 1)])).toMatchObject({
      status: "refused",
      results: [{ error: { code: "TRP_5000" } }],
    });
  });
});

/** A relay of connections, each cut after some bytes from the server. */
async function proxy(next: () => { url: URL; cutAfter: number }): Promise<string> {
  const { connect } = await import("node:net");
  const relay: Server = createServer((socket) => {
    const { url, cutAfter } = next();
    const upstream = connect(Number(url.port), url.hostname);
    let left = cutAfter;
    const end = (): void => {
      socket.destroy();
      upstream.destroy();
    };
    for (const each of [socket, upstream]) each.on("error", end).on("close", end);
    socket.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      socket.write(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.length;
      if (left <= 0) socket.end(end);
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  cleanUp.push(() => new Promise((resolve) => relay.close(resolve)));
  return `http://127.0.0.1:${(relay.address() as { port: number }).port}`;
}
