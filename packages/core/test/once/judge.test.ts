import { readFileSync } from "node:fs";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeHttp, judgeMcp, once, type Verdict } from "../../src/once-layer.ts";
import { errorTable, vectors } from "./error-table.ts";
import { log, options } from "./support.ts";

/** Headers are recorded by what they hold. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object" || value === null) return value;
  if ("$headers" in value) return new Headers(value.$headers as Record<string, string>);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revive(member)]));
}

const clients = [...new Set(vectors.map(({ client }) => client))];

describe("judgeHttp", () => {
  it.each(clients)("should judge what really comes of %s", (client) => {
    const own = vectors.filter((vector) => vector.client === client);
    expect(own.length).toBeGreaterThan(3);
    for (const { what, verdict, hidden, error } of own) {
      if (hidden) expect([what, judgeHttp(revive(error))]).not.toEqual([what, verdict]);
      else expect([what, judgeHttp(revive(error))]).toEqual([what, verdict]);
    }
  });

  it("should know clients by the same table as their users", () => {
    expect(vectors.length).toBeGreaterThan(150);
    expect(vectors.filter(({ hidden }) => hidden).map(({ client, what }) => `${client}: ${what}`)).toEqual([
      "fetch: 303+refused",
      "ky: 303+refused",
      "node-fetch: 303+refused",
      "OpenAI: 303+422",
      "OpenAI: 303+refused",
    ]);
  });

  it("should be documented by a table that is true", () => {
    const page = readFileSync(new URL("../../../../docs/errors-of-http-clients.md", import.meta.url), "utf8");
    expect(page).toContain(errorTable());
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "ECONNREFUSED"],
    ["a number", 404],
    ["an error alone", new Error("connect ECONNREFUSED")],
    ["a status that is none", { status: 4040 }],
    ["a status in words", { status: "404" }],
    ["a success", { status: 200 }],
    ["a redirect", { status: 302 }],
    ["what was tried before", { status: 400, $metadata: { attempts: 2 } }],
    ["some addresses of several refused", { errors: [{ code: "ECONNREFUSED" }, { code: "ECONNRESET" }] }],
    ["a time-out of everything", { code: "ETIMEDOUT" }],
    ["a broken write", { code: "EPIPE", syscall: "write" }],
  ])("should call unknown what says nothing: %s", (_, error) => {
    expect(judgeHttp(error)).toBe("unknown");
  });

  it("should give a verdict on anything, and none but unknown on what is not an error of HTTP", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 3 }), (thrown) => {
        expect(judgeHttp(thrown)).toBe("unknown");
        expect(judgeMcp(thrown)).toBe("unknown");
      }),
    );
  });

  it("should not follow causes in a circle", () => {
    const error = new Error("a");
    error.cause = error;
    expect(judgeHttp(error)).toBe("unknown");
  });

  it("should leave a doubt to an error that can't be read", async () => {
    const hostile = new Proxy(
      {},
      { get: () => JSON.parse("{") as never, getPrototypeOf: () => JSON.parse("{") as never },
    );
    const run = once(log(), options({ judge: judgeHttp }), () => Promise.reject(hostile));
    await expect(run).rejects.toMatchObject({ code: "once/in-doubt" });
  });
});

describe("judgeHttp, on this machine", () => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    "/reset": (response) => response.socket?.resetAndDestroy(),
    "/closed": (response) => response.socket?.destroy(),
    "/422": (response) => response.writeHead(422).end(),
    "/429": (response) => response.writeHead(429).end(),
    "/503": (response) => response.writeHead(503).end(),
    "/503+after": (response) => response.writeHead(503, { "retry-after": "1" }).end(),
    "/303": (response) => response.writeHead(303, { location: "/422" }).end(),
  };
  const server = createServer(({ url = "" }, response) => answers[url]?.(response));
  let origin = "";
  let refused = "";
  beforeAll(async () => {
    const other = createServer();
    const listen = (one: typeof server) => new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
    await Promise.all([listen(server), listen(other)]);
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    refused = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await new Promise((resolve) => other.close(resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each<[string, Verdict]>([
    ["/reset", "unknown"],
    ["/closed", "unknown"],
    ["/422", "failed"],
    ["/429", "not-applied"],
    ["/503", "unknown"],
    ["/503+after", "not-applied"],
    ["/303", "unknown"],
    ["/silent", "unknown"],
    ["refused", "not-applied"],
    ["http://nowhere.invalid", "not-applied"],
  ])("should judge what this version's fetch throws: %s", async (path, verdict) => {
    const address = path === "refused" ? refused : path.startsWith("/") ? origin + path : path;
    const thrown: unknown = await fetch(address, {
      method: "POST",
      body: "1",
      signal: AbortSignal.timeout(2_000),
    }).then(
      (response) => response,
      (error: unknown) => error,
    );
    expect(judgeHttp(thrown)).toBe(verdict);
  });

  it("should judge what node:http gives", async () => {
    const thrown = await new Promise((resolve) => get(refused).on("error", resolve));
    expect(judgeHttp(thrown)).toBe("not-applied");
  });
});

describe("judgeMcp", () => {
  it.each<[unknown, Verdict]>([
    [{ code: -32700 }, "not-applied"],
    [{ code: -32600 }, "not-applied"],
    [{ code: -32601 }, "not-applied"],
    [{ code: -32602 }, "not-applied"],
    [{ code: -32603 }, "unknown"],
    [{ code: -32000 }, "unknown"],
    [{ code: -32001 }, "unknown"],
    [{ code: 404 }, "unknown"],
    [new Error("Not connected"), "not-applied"],
    [{ message: "fetch failed", cause: { code: "ECONNREFUSED" } }, "not-applied"],
    [{ code: -32603, cause: { code: -32602 } }, "unknown"],
    [{ code: "tool-error", cause: { code: -32602 } }, "not-applied"],
    [new Error("Connection closed"), "unknown"],
  ])("should judge %j as %s", (error, verdict) => {
    expect(judgeMcp(error)).toBe(verdict);
  });
});
