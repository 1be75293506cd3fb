import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sharedPlace } from "../../../trp-core/test/store-kinds.ts";
import { createHttpApp, type HttpAppOptions } from "../../src/http/app.ts";
import { type HttpHost, type ListenOptions, listen } from "../../src/http/listen.ts";
import type { McpRequest } from "../../src/http/types.ts";
import { type Rig, rig, secret } from "../rig.ts";

interface Served extends Rig {
  host: HttpHost;
  /** What came to the MCP side. */
  gate: { method: string; context: McpRequest }[];
  post(body: string, headers?: Record<string, string>, path?: string): Promise<Response>;
}

const local = { allowedHosts: [], allowedOrigins: [] };

async function serve(
  options: Partial<HttpAppOptions> = {},
  given?: Rig,
  ports: Partial<ListenOptions> = {},
): Promise<Served> {
  const parts = given ?? (await rig());
  const gate: Served["gate"] = [];
  const mcp: HttpAppOptions["mcp"] = async (request, context) => {
    gate.push({ method: request.method, context });
    return Response.json({ ok: true });
  };
  const app = createHttpApp({ mcp, ...parts, listen: local, ...options });
  const host = await listen(app, { host: "127.0.0.1", port: 0, ...ports });
  onTestFinished(() => host.close(0));
  const post: Served["post"] = (body, headers = {}, path = "/mcp") =>
    fetch(host.url + path, {
      method: "POST",
      body,
      headers: { authorization: parts.agent, "content-type": "application/json", ...headers },
    });
  return { ...parts, host, gate, post };
}

/** Sends a request whose head fetch would not let through. */
function raw(host: HttpHost, headers: Record<string, string | string[]>, path = "/readyz"): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest({ port: host.port, host: "127.0.0.1", path, headers, setHost: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });
}

describe("the MCP path", () => {
  it("passes on a parsed body and who sends it", async () => {
    const { post, gate } = await serve();
    const response = await post('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(response.status).toBe(200);
    expect(gate).toHaveLength(1);
    expect(gate[0]?.context).toMatchObject({
      body: { jsonrpc: "2.0", id: 1, method: "ping" },
      identity: { principal: { id: "agent-7" }, mayElicit: true },
    });
  });

  it("wants a token, and says where one comes from", async () => {
    const { host, post, gate } = await serve();
    const response = await post("{}", { authorization: "Bearer tg1_none" });
    expect(response.status).toBe(401);
    const url = `${host.url}/.well-known/oauth-protected-resource/mcp`;
    expect(response.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${url}"`);
    expect(await (await fetch(url)).json()).toEqual({
      resource: `${host.url}/mcp`,
      bearer_methods_supported: ["header"],
    });
    expect(gate).toEqual([]);
  });

  it("refuses tokens in the address, even good ones", async () => {
    const { host, agent, gate } = await serve();
    const token = agent.slice("Bearer ".length);
    for (const query of [`access_token=${token}`, `key=${token}`]) {
      const response = await fetch(`${host.url}/mcp?${query}`, { headers: { authorization: agent } });
      expect(response.status).toBe(400);
    }
    expect(gate).toEqual([]);
  });

  it.each([
    ["text/plain", "{}", 415],
    ["application/json; charset=latin1", "{}", 415],
    ["application/json", "{", 400],
    ["application/json", `${"[".repeat(65)}${"]".repeat(65)}`, 400],
    ["application/json", JSON.stringify("x".repeat(4 * 1024 * 1024)), 413],
    ["application/json; charset=utf-8", `${"[".repeat(64)}${"]".repeat(64)}`, 200],
  ])("of type %s, takes what is JSON of a sensible size (%#)", async (type, body, status) => {
    const { post, gate } = await serve();
    const response = await post(body, { "content-type": type });
    expect(response.status).toBe(status);
    expect(gate).toHaveLength(status === 200 ? 1 : 0);
    if (status !== 200)
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } });
  });

  it("counts a body that comes in pieces", async () => {
    const { host, agent, gate } = await serve();
    const send = (pieces: number) =>
      fetch(`${host.url}/mcp`, {
        method: "POST",
        headers: { authorization: agent, "content-type": "application/json" },
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(Buffer.from('"'));
            for (let piece = 0; piece < pieces; piece++) controller.enqueue(Buffer.alloc(512 * 1024, "x"));
            controller.enqueue(Buffer.from('"'));
            controller.close();
          },
        }),
        duplex: "half",
      } as RequestInit);
    expect((await send(2)).status).toBe(200);
    expect((await send(9)).status).toBe(413);
    expect(gate).toHaveLength(1);
  });

  it("answers 503, and not 401, while the tokens can't be read", async () => {
    const { tokens, post, host } = await serve();
    const { writeFile } = await import("node:fs/promises");
    await writeFile(tokens.file, "[");
    await vi.waitFor(async () => expect((await post("{}")).status).toBe(503));
    const ready = await fetch(`${host.url}/readyz`);
    expect(ready.status).toBe(503);
  });
});

describe("Host and Origin", () => {
  it("are checked before anybody is identified", async () => {
    const { host, agent } = await serve({
      listen: { ...local, allowedHosts: ["tools.example"], publicUrl: "https://gate.example" },
    });
    const status = (headers: Record<string, string>) => raw(host, headers, "/mcp");
    const authorization = agent;
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ host: "localhost", origin: "https://evil.example", authorization })).toBe(403);
    expect(await status({ host: "localhost", origin: "null", authorization })).toBe(403);
    for (const good of ["localhost:1", "127.0.0.1", "[::1]:80", "tools.example", "gate.example"]) {
      expect(await status({ host: good, authorization })).toBe(200);
    }
    for (const origin of ["https://gate.example", "http://localhost:6274"]) {
      expect(await status({ host: "localhost", origin, authorization })).toBe(200);
    }
  });

  it("may not be there twice", async () => {
    const { host, agent } = await serve();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(host.port, "127.0.0.1", () =>
        socket.write(
          `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${agent}\r\nAuthorization: Bearer x\r\n\r\n`,
        ),
      );
      socket.once("data", (data) => resolve(data.toString()));
      onTestFinished(() => void socket.destroy());
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("let pages of a listed origin read the answer", async () => {
    const { host, post } = await serve({ listen: { ...local, allowedOrigins: ["https://app.example"] } });
    const origin = "https://app.example";
    const preflight = await fetch(`${host.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    const response = await post("{}", { origin });
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-expose-headers")).toContain("mcp-session-id");
  });
});

describe("the server's state", () => {
  it("is ready when a write is committed, and says what fails", async () => {
    const store = await sharedPlace().open();
    const { host } = await serve({}, await rig(store));
    const get = async () => {
      const response = await fetch(`${host.url}/readyz`);
      return [response.status, await response.json()];
    };
    const checks = [
      { name: "store", ok: true },
      { name: "tokens", ok: true },
    ];
    expect(await get()).toEqual([200, { ready: true, status: "ready", checks }]);
    await store.close();
    const other = await serve({}, await rig(store));
    const response = await fetch(`${other.host.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      ready: false,
      status: "unready",
      checks: [{ name: "store", ok: false }, {}],
    });
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
  });

  it("says that it will soon be gone, and serves on over connections that it does not keep", async () => {
    const { host, post } = await serve();
    const kept = await post("{}");
    expect(kept.headers.get("connection")).toBe("keep-alive");
    const drained = host.drain(100, 1_000);
    const ready = await fetch(`${host.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ reason: "draining" })]);
    const last = await post("{}");
    expect([last.status, last.headers.get("connection")]).toEqual([200, "close"]);
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    await drained;
  });

  it("is gone only after what had begun before, and within its time", async () => {
    const go: (() => void)[] = [];
    const mcp = () => new Promise<Response>((resolve) => go.push(() => resolve(Response.json("done"))));
    const { host, post } = await serve({ mcp });
    const before = post("{}");
    await vi.waitFor(() => expect(go).toHaveLength(1));
    let isDrained = false;
    const drained = host.drain(20, 60_000).then(() => {
      isDrained = true;
    });
    // What begins now is told to come over another connection.
    const after = post("{}");
    await vi.waitFor(() => expect(go).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isDrained).toBe(false);
    go[0]?.();
    expect(await (await before).json()).toBe("done");
    await drained;
    go[1]?.();
    expect((await after).headers.get("connection")).toBe("close");
    // No longer than it may.
    const stuck = await serve({ mcp });
    const cut = stuck.post("{}").catch(() => {});
    await vi.waitFor(() => expect(go).toHaveLength(3));
    await stuck.host.drain(10, 20);
    go[2]?.();
    await cut;
  });

  it("shows metrics to the role, or on this machine when they are open", async () => {
    const page = { contentType: "text/plain", text: async () => `up 1 # ${secret}\n` };
    const closed = await serve({ metrics: page });
    const read = (host: HttpHost, headers: Record<string, string> = {}) => fetch(`${host.url}/metrics`, { headers });
    expect((await read(closed.host)).status).toBe(401);
    expect((await read(closed.host, { authorization: closed.agent })).status).toBe(403);
    const { token } = await closed.tokens.add({ principal: "prometheus", roles: ["metrics"] });
    const response = await read(closed.host, { authorization: `Bearer ${token}` });
    expect(await response.text()).toBe("up 1 # [secret SHOP_KEY]\n");
    const open = await serve({ metrics: { ...page, open: true } });
    expect((await read(open.host)).status).toBe(200);
    expect((await read(open.host, { "x-forwarded-for": "203.0.113.9" })).status).toBe(401);
  });
});

describe("/trp", () => {
  it("lists and decides requests for approval, with secrets masked", async () => {
    const { host, agent, approver, ask, call, refunds } = await serve();
    const id = await ask({ order: "A-17", note: `with ${secret}` });
    const get = (path: string, authorization: string) => fetch(host.url + path, { headers: { authorization } });
    const list = await (await get("/trp/approvals?status=pending", approver)).json();
    expect(list.approvals).toMatchObject([{ id, args: { order: "A-17", note: "with [secret SHOP_KEY]" } }]);
    expect(list.approvals[0].text).not.toContain(secret);
    expect((await get("/trp/approvals", "Bearer x")).status).toBe(401);
    const decide = (authorization: string) =>
      fetch(`${host.url}/trp/approvals/${id}/approve`, { method: "POST", headers: { authorization } });
    expect((await decide(agent)).status).toBe(403);
    expect((await decide(approver)).status).toBe(200);
    await call({ order: "A-17", note: `with ${secret}` }, { key: "k0" });
    expect(refunds).toHaveLength(1);
  });

  it("has no way in for frames", async () => {
    const { post } = await serve();
    expect((await post("{}", {}, "/trp/frame")).status).toBe(404);
  });
});

describe("connections", () => {
  it("tell the MCP side when the caller is gone, and end what is streamed to them", async () => {
    let aborted = false;
    let cancelled = false;
    const mcp: HttpAppOptions["mcp"] = async (request) => {
      request.signal.addEventListener("abort", () => {
        aborted = true;
      });
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from("data: 1\n\n")),
        cancel: () => {
          cancelled = true;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const { host, agent } = await serve({ mcp });
    const leave = new AbortController();
    const response = await fetch(`${host.url}/mcp`, { headers: { authorization: agent }, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await vi.waitFor(() => expect([aborted, cancelled]).toEqual([true, true]));
  });

  it("are cut when the head does not come, and when the other side has ended", async () => {
    const { host } = await serve({}, undefined, { headersTimeoutMs: 200 });
    const ended = (write: string, end: boolean) =>
      new Promise<void>((resolve) => {
        const socket = connect({ port: host.port, host: "127.0.0.1", allowHalfOpen: true }, () => {
          socket.write(write);
          if (end) socket.end();
        });
        socket.resume();
        socket.once("end", () => resolve(void socket.destroy()));
        socket.once("error", () => resolve());
      });
    await ended("GET /healthz HTTP/1.1\r\nHost: loc", false);
    await ended("GET /healthz HTTP/1.1\r\nHost: loc", true);
    await vi.waitFor(() => expect(host.connections()).toBe(0));
  });

  it("are bounded", async () => {
    const { host } = await serve({}, undefined, { maxConnections: 1 });
    const first = connect(host.port, "127.0.0.1");
    onTestFinished(() => void first.destroy());
    await new Promise((resolve) => first.once("connect", resolve));
    await vi.waitFor(() => expect(host.connections()).toBe(1));
    const second = connect(host.port, "127.0.0.1");
    await new Promise((resolve) => second.once("close", resolve).once("error", () => {}));
    expect(host.connections()).toBe(1);
  });

  it("end at the close, after what runs", async () => {
    let go = (): void => {};
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const mcp = () =>
      new Promise<Response>((resolve) => {
        go = () => resolve(Response.json("done"));
        started();
      });
    const { host, post } = await serve({ mcp });
    const answer = post("{}");
    await running;
    const closed = host.close(10_000);
    go();
    expect(await (await answer).json()).toBe("done");
    await closed;
    await expect(fetch(`${host.url}/healthz`)).rejects.toThrow();
  });
});
