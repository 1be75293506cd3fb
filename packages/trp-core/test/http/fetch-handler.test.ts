import fc from "fast-check";
import { expect, it } from "vitest";
import { createFetchHandler } from "../../src/http/fetch-handler.ts";
import { bearerToken, hostName, isJsonType, isSameOrigin, wantsEventStream } from "../../src/http/messages.ts";
import type { HttpOptions } from "../../src/http/types.ts";
import { ada, type FakeRouter, fakeRouter } from "./fake-router.ts";

interface Rig {
  fake: FakeRouter;
  send(path: string, options?: RequestInit & { body?: BodyInit | null }): Promise<Response>;
}

function rig(options: Partial<HttpOptions> = {}): Rig {
  const fake = fakeRouter();
  const authenticate = (header: string | undefined) => (bearerToken(header) === "secret" ? ada : undefined);
  const handle = createFetchHandler(fake.router, { authenticate, ...options });
  return {
    fake,
    send: (path, { headers, ...rest } = {}) =>
      handle(
        new Request(`http://router.example${path}`, {
          headers: { authorization: "Bearer secret", ...headers },
          ...rest,
        }),
      ),
  };
}

const json = { "content-type": "application/json" };
const post = (body: BodyInit, headers: Record<string, string> = json) => ({ method: "POST", body, headers });

it("answers frames with 200, whatever the router says", async () => {
  const { fake, send } = rig();
  fake.answer = async () => ({ frame_type: "NACK" });
  const answer = await send(
    "/trp/frame",
    post('{"frame_type":"CALL_REQ"}', { "content-type": "application/json; charset=UTF-8" }),
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.json()).toEqual({ frame_type: "NACK" });
  expect(fake.seen).toMatchObject([{ frame: { frame_type: "CALL_REQ" }, context: { principal: { id: "ada" } } }]);
  // JSON that is no frame is the router's to refuse.
  expect((await send("/trp/frame", post("[]"))).status).toBe(200);
  expect((await send("/trp/frame", post("null"))).status).toBe(200);
  // Of a key that is there twice, the last one counts.
  await send("/trp/frame", post('{"a":1,"a":2}'));
  expect(fake.seen.at(-1)?.frame).toEqual({ a: 2 });
});

const refusals: [string, number, string, RequestInit & { body?: BodyInit | null }][] = [
  ["no JSON", 400, "TRP_2000", post("{")],
  ["nothing", 400, "TRP_2000", post("")],
  ["no UTF-8", 400, "TRP_2000", post(Uint8Array.of(0x22, 0xff, 0x22))],
  ["a byte order mark", 400, "TRP_2000", post(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))],
  ["half a surrogate", 400, "TRP_2000", post(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))],
  ["nobody", 401, "TRP_4007", post("{}", { ...json, authorization: "Bearer other" })],
  ["no bearer", 401, "TRP_4007", post("{}", { ...json, authorization: "Basic secret" })],
  ["a GET", 405, "TRP_2000", { method: "GET" }],
  ["a PUT", 405, "TRP_2000", { ...post("{}"), method: "PUT" }],
  ["too much", 413, "TRP_2008", post(" ".repeat(1001))],
  ["a form", 415, "TRP_2000", post("{}", { "content-type": "application/x-www-form-urlencoded" })],
  ["plain text", 415, "TRP_2000", post("{}", { "content-type": "text/plain" })],
  ["another charset", 415, "TRP_2000", post("{}", { "content-type": "application/json; charset=utf-16" })],
  ["a compressed body", 415, "TRP_2000", post("{}", { ...json, "content-encoding": "gzip" })],
  ["a page of elsewhere", 403, "TRP_4001", post("{}", { ...json, origin: "https://evil.example" })],
];

it.each(refusals)("refuses %s with %i and a NACK", async (_what, status, code, request) => {
  const { fake, send } = rig();
  const answer = await send("/trp/frame", request);
  expect(answer.status).toBe(status);
  const frame = (await answer.json()) as Record<string, unknown>;
  expect(frame).toMatchObject({
    trp_version: "0.1",
    frame_type: "NACK",
    session_id: null,
    seq: null,
    timestamp_ms: 1234,
    payload: { error_code: code, nack_of_frame_id: null, dispatched: false, fix: expect.any(String) },
  });
  if (status === 405) expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  if (status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expect(fake.seen).toEqual([]);
});

it("counts a body that does not say its length while it reads", async () => {
  const { fake, send } = rig();
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(300).fill(32));
    },
  });
  const answer = await send("/trp/frame", { ...post(body), duplex: "half" } as RequestInit);
  expect(answer.status).toBe(413);
  expect(pulled).toBeLessThan(10);
  expect(fake.seen).toEqual([]);
});

it("never takes half a body for a whole one", async () => {
  const { fake, send } = rig();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.error(new Error("gone"));
    },
  });
  const answer = await send("/trp/approvals/a1/approve", { ...post(body), duplex: "half" } as RequestInit);
  expect(answer.status).toBe(400);
  expect(fake.decided).toEqual([]);
});

it("says whether it is alive and ready, to anybody", async () => {
  const { fake, send } = rig();
  const anybody = { headers: { authorization: "none" } };
  expect(await (await send("/healthz", anybody)).json()).toEqual({ status: "ok" });
  expect(await (await send("/readyz", anybody)).json()).toEqual({ status: "ready" });
  fake.unready = "the store is locked";
  const answer = await send("/readyz", anybody);
  expect([answer.status, await answer.json()]).toEqual([503, { status: "unready", reason: "the store is locked" }]);
  const head = await send("/healthz", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const options = await send("/healthz", { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  expect((await send("/healthz", { method: "POST" })).status).toBe(405);
});

it("has nothing at other paths", async () => {
  const { send } = rig();
  for (const path of [
    "/",
    "/trp",
    "/trp/frame/",
    "/trp/approvals/%zz",
    "/trp/approvals/a/b",
    "/trp/operations",
    "//trp/frame",
  ]) {
    const answer = await send(path);
    expect([path, answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      path,
      404,
      "not-found",
    ]);
  }
});

it("lists, shows and decides approvals", async () => {
  const { fake, send } = rig();
  const listed = await send("/trp/approvals?status=pending&limit=5");
  expect(await listed.json()).toMatchObject({
    approvals: [{ id: "apr 1", text: "bob wants to send mail", status: "pending" }],
  });
  expect(fake.decided).toEqual([{ list: { status: "pending", limit: 5 } }]);
  expect((await send("/trp/approvals?status=maybe")).status).toBe(400);
  expect((await send("/trp/approvals?limit=0")).status).toBe(400);
  expect(await (await send("/trp/approvals/apr%201")).json()).toMatchObject({ approval: { id: "apr 1" } });
  expect((await send("/trp/approvals/unknown")).status).toBe(404);
  fake.decided.length = 0;
  await send("/trp/approvals/a1/approve", post('{"comment":"fine"}'));
  await send("/trp/approvals/a2/deny", { method: "POST" });
  expect(fake.decided).toMatchObject([
    { verb: "approve", who: { id: "ada" }, id: "a1", comment: "fine" },
    { verb: "deny", id: "a2", comment: undefined },
  ]);
});

it.each([
  ["gone", 404, "trp/approval-not-found"],
  ["own", 403, "trp/approval-own-request"],
  ["late", 409, "trp/approval-not-pending"],
  ["broken", 500, "internal"],
])("answers a decision on %s with %i", async (id, status, code) => {
  const { send } = rig();
  const answer = await send(`/trp/approvals/${id}/approve`, post("{}"));
  expect(answer.status).toBe(status);
  const text = await answer.text();
  expect(JSON.parse(text).error.code).toBe(code);
  expect(text).not.toContain("secret detail");
});

it("refuses decisions that are not what they should be", async () => {
  const { fake, send } = rig();
  for (const [status, request] of [
    [400, post("[]")],
    [400, post('{"comment":1}')],
    [400, post('{"why":"x"}')],
    [400, post("{")],
    [415, post("comment=x", { "content-type": "application/x-www-form-urlencoded" })],
    [415, post("{}", { "content-type": "text/plain" })],
    [403, post("{}", { ...json, origin: "http://evil.example" })],
    [401, post("{}", { ...json, authorization: "no" })],
    [405, { method: "GET" }],
  ] as const) {
    expect((await send("/trp/approvals/a1/approve", request)).status).toBe(status);
  }
  expect(fake.decided).toEqual([]);
});

it("lists and settles operations in doubt", async () => {
  const { fake, send } = rig();
  expect(await (await send("/trp/operations/in-doubt")).json()).toEqual({ operations: [{ scope: "s", key: "k" }] });
  const settle = (body: unknown) => send("/trp/operations/resolve", post(JSON.stringify(body)));
  expect((await settle({ scope: "s", key: "k", result: { state: "done", value: { id: 1 } } })).status).toBe(200);
  expect((await settle({ scope: "s", key: "k", result: { state: "failed", message: "no" } })).status).toBe(200);
  expect((await settle({ scope: "s", key: "k", result: { state: "not-applied" } })).status).toBe(200);
  expect(fake.decided).toMatchObject([
    { key: { scope: "s", key: "k" }, result: { state: "done", value: { id: 1 } } },
    { result: { state: "failed", message: "no" } },
    { result: { state: "not-applied" } },
  ]);
  expect((await settle({ scope: "s", key: "unknown", result: { state: "not-applied" } })).status).toBe(409);
  expect((await settle({ scope: "s", key: "denied", result: { state: "not-applied" } })).status).toBe(403);
  for (const body of [
    {},
    { scope: "s", key: 1, result: {} },
    { scope: "s", key: "k", result: { state: "failed" } },
    null,
  ]) {
    expect((await settle(body)).status).toBe(400);
  }
});

it("streams when only a stream is accepted", async () => {
  const { send } = rig();
  const answer = await send("/trp/frame", post('{"a":1}', { ...json, accept: "text/event-stream" }));
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(await answer.text()).toBe('data: {"echo":{"a":1}}\n\n');
  const both = await send("/trp/frame", post("{}", { ...json, accept: "application/json, text/event-stream" }));
  expect(both.headers.get("content-type")).toContain("application/json");
});

it("lets named origins in, with CORS, and no others", async () => {
  const { send } = rig({ allowedOrigins: ["https://app.example"] });
  const preflight = await send("/trp/frame", { method: "OPTIONS", headers: { origin: "https://app.example" } });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    "https://app.example",
  ]);
  const answer = await send("/trp/frame", post("{}", { ...json, origin: "https://app.example" }));
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "https://app.example"]);
  const large = await send("/trp/frame", post(" ".repeat(2000), { ...json, origin: "https://app.example" }));
  expect([large.status, large.headers.get("access-control-allow-origin")]).toEqual([413, "https://app.example"]);
  const other = await send("/trp/frame", post("{}", { ...json, origin: "https://other.example" }));
  expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  const own = await send("/trp/frame", post("{}", { ...json, origin: "http://router.example" }));
  expect(own.status).toBe(200);
});

it("serves the named hosts only", async () => {
  const { send } = rig({ allowedHosts: ["Other.example"] });
  expect((await send("/healthz")).status).toBe(403);
  expect((await rig({ allowedHosts: ["router.example"] }).send("/healthz")).status).toBe(200);
});

it("takes an answer on who calls later, and a failing one for nobody", async () => {
  const late = rig({ authenticate: async () => ada });
  expect((await late.send("/trp/frame", post("{}"))).status).toBe(200);
  for (const authenticate of [
    () => Promise.reject(new Error("secret detail")),
    () => {
      throw new Error("secret detail");
    },
  ]) {
    const answer = await rig({ authenticate }).send("/trp/frame", post("{}"));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret detail");
  }
});

it("reads headers as they are meant", () => {
  expect(bearerToken("bearer  a.b-c=")).toBe("a.b-c=");
  expect([bearerToken("Bearer"), bearerToken("Bearer a b"), bearerToken(undefined), bearerToken("Bearer é")]).toEqual(
    new Array(4).fill(undefined),
  );
  expect([
    isJsonType("Application/Vnd.Api+JSON"),
    isJsonType("application/json;charset=utf-8"),
    isJsonType(undefined),
  ]).toEqual([true, true, false]);
  expect([isJsonType("application/jsonp"), isJsonType("text/json"), isJsonType("x".repeat(300))]).toEqual([
    false,
    false,
    false,
  ]);
  expect(wantsEventStream("text/event-stream;q=0.9, application/json;q=0.1")).toBe(true);
  expect(wantsEventStream("*/*")).toBe(false);
  expect([hostName("[::1]:80"), hostName("LocalHost"), hostName("a b"), hostName(undefined)]).toEqual([
    "::1",
    "localhost",
    undefined,
    undefined,
  ]);
  expect([isSameOrigin("http://a:1", "A:1"), isSameOrigin("http://a", "b"), isSameOrigin("null", "null")]).toEqual([
    true,
    false,
    false,
  ]);
});

it("answers every request, whatever it is", async () => {
  const { send } = rig();
  const header = fc.stringMatching(/^[ -~]{0,40}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"),
      fc.webPath(),
      fc.constantFrom("/trp/frame", "/trp/approvals", "/trp/approvals/x/approve", "/readyz", ""),
      fc.uint8Array({ maxLength: 50 }),
      header,
      header,
      async (method, path, prefix, body, type, origin) => {
        const hasBody = method !== "GET" && method !== "HEAD";
        const headers = { "content-type": type, origin, accept: type };
        const answer = await send(`${prefix}${path || "/"}`, { method, headers, ...(hasBody ? { body } : {}) });
        expect(answer.status).toBeGreaterThanOrEqual(200);
        expect(answer.status).toBeLessThan(500);
        await answer.text();
      },
    ),
    { numRuns: 300 },
  );
});

it("refuses options that can't be", () => {
  const { router } = fakeRouter();
  expect(() => createFetchHandler({} as never, { authenticate: () => ada })).toThrow(TypeError);
  expect(() => createFetchHandler(router, {} as never)).toThrow("authenticate");
});

it("ends a stream that is not read, and what runs for it goes on", async () => {
  const fake = fakeRouter();
  const handle = createFetchHandler(fake.router, {
    authenticate: () => ada,
    limits: { unreadBytes: 1_000, unreadMs: 10 },
  });
  const partial = { text: "x".repeat(500) } as never;
  fake.answer = async (_frame, { onPartial }) => {
    for (let n = 0; n < 4; n++) onPartial?.(partial);
    return await new Promise(() => {});
  };
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const response = await handle(new Request("http://x/trp/frame", { method: "POST", headers, body: "{}" }));
  const reader = response.body?.getReader();
  await expect.poll(() => reader?.closed.then(String, String)).toContain("does not read");
});
