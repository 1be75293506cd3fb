import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bearerToken, bearerTokens, createFetchHandler, createRouter, type HttpOptions } from "../../src/index.ts";
import { routerMetrics } from "../../src/metrics/index.ts";
import { serveHttp, serveStdio } from "../../src/node/index.ts";
import { serveWebSockets, webSockets } from "../../src/node/ws/index.ts";
import { ada, helloFrame, ledger } from "../router-rig.ts";
import { readPage, sampleOf } from "./exposition.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const who = bearerTokens({
  agent: { principal: "agent", roles: ["approver"] },
  prometheus: { principal: "prometheus", roles: ["metrics"] },
});
const authenticate: HttpOptions["authenticate"] = (header) => who(bearerToken(header));
const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

function rig(options: Parameters<typeof routerMetrics>[1] = {}) {
  const router = createRouter({ capabilities: ledger().capabilities, allowVolatile: true });
  cleanUp.push(() => router.close({ graceMs: 0 }));
  const metrics = routerMetrics(router, options);
  return { router, metrics, options: { authenticate, metrics } };
}

type Get = (init?: RequestInit, path?: string) => Promise<Response>;
const faces: [string, (rigged: ReturnType<typeof rig>, more?: object) => Promise<Get>][] = [
  [
    "the fetch handler",
    async ({ router, options }, more) => {
      const handler = createFetchHandler(router, { ...options, ...more });
      return (init, path = "/metrics") => handler(new Request(`http://router${path}`, init));
    },
  ],
  [
    "serveHttp",
    async ({ router, options }, more) => {
      const server = await serveHttp(router, { ...options, ...more });
      cleanUp.push(() => server.close(0));
      return (init, path = "/metrics") => fetch(`${server.url}${path}`, init);
    },
  ],
];

describe.each(faces)("GET /metrics of %s", (_, face) => {
  it("is for those who may read it, and not for all who may send frames", async () => {
    const get = await face(rig());
    const page = await get(as("prometheus"));
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(readPage(await page.text()).size).toBeGreaterThan(20);
    const statuses = await Promise.all([
      get(),
      get(as("nobody")),
      get(as("agent")),
      get({ ...as("prometheus"), method: "HEAD" }),
      get({ ...as("prometheus"), method: "POST" }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 403, 200, 405]);
    for (const refused of statuses.slice(0, 3)) expect(await refused.text()).not.toContain("trp_");
    expect(await statuses[3]?.text()).toBe("");
  });

  it("is for others when mayRead says so, and for nobody when that fails", async () => {
    const open = await face(rig({ mayRead: ({ id }) => id === "agent" }));
    expect([(await open(as("agent"))).status, (await open(as("prometheus"))).status]).toEqual([200, 403]);
    const broken = await face(
      rig({
        mayRead: () => {
          throw new Error("secret detail");
        },
      }),
    );
    const reply = await broken(as("prometheus"));
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain("secret");
    const odd = await face(rig({ mayRead: (() => "yes") as never }));
    expect((await odd(as("prometheus"))).status).toBe(403);
  });

  it("is not there without the option", async () => {
    const get = await face(rig(), { metrics: undefined });
    expect((await get(as("prometheus"))).status).toBe(404);
  });

  it("counts frames, and what was refused before it was one", async () => {
    const rigged = rig();
    const get = await face(rigged, { limits: { framesPerSecond: 2 } });
    const send = (body: string, token: string, type = "application/json") => {
      const headers = { "content-type": type, authorization: `Bearer ${token}` };
      return get({ method: "POST", headers, body }, "/trp/frame");
    };
    expect((await send(JSON.stringify(helloFrame()), "agent")).status).toBe(200);
    await send(JSON.stringify(helloFrame()), "nobody");
    await send("no frame", "agent");
    await send("no frame", "agent", "text/plain");
    await send("1", "agent");
    expect((await send("1", "agent")).status).toBe(200);
    const text = await (await get(as("prometheus"))).text();
    expect(sampleOf(text, 'trp_frames_total{frame_type="HELLO_REQ",answer="HELLO_RES",error_code=""}')).toBe(1);
    expect(sampleOf(text, 'trp_frames_total{frame_type="unreadable",answer="NACK",error_code="TRP_2000"}')).toBe(1);
    const refused = Object.fromEntries(readPage(text).get("trp_transport_refusals_total")?.samples ?? []);
    expect(refused).toEqual({
      'trp_transport_refusals_total{error_code="TRP_4007"}': 1,
      'trp_transport_refusals_total{error_code="TRP_2000"}': 2,
      'trp_transport_refusals_total{error_code="TRP_4006"}': 1,
    });
  });

  it("refuses a page that is none, at once", async () => {
    await expect(face(rig(), { metrics: { text: async () => "" } })).rejects.toThrow(/routerMetrics\(\)/);
  });
});

it("counts connections over HTTP, WebSockets of both kinds, and stdio, while they last", async () => {
  const { router, metrics, options } = rig();
  const shown = async (): Promise<unknown> =>
    Object.fromEntries(
      [...(readPage(await metrics.text()).get("trp_connections")?.samples ?? [])].map(([name, count]) => [
        /transport="(.*)"/.exec(name)?.[1],
        count,
      ]),
    );
  expect(await shown()).toEqual({});
  const server = await serveHttp(router, { ...options, webSockets: webSockets() });
  const own = createServer().listen(0, "127.0.0.1");
  await once(own, "listening");
  const face = await serveWebSockets(router, { ...options, server: own });
  const stdio = serveStdio(router, { principal: ada, input: new PassThrough(), output: new PassThrough(), metrics });
  const ports = [server.port, (own.address() as AddressInfo).port];
  const sockets = ports.map((port) => new WebSocket(`ws://127.0.0.1:${port}/trp/ws`, as("agent") as object));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  await expect.poll(shown).toEqual({ http: 1, ws: 2, stdio: 1 });
  for (const socket of sockets) socket.close();
  await Promise.all(sockets.map((socket) => once(socket, "close")));
  await expect.poll(shown).toEqual({ http: 0, ws: 0, stdio: 1 });
  await Promise.all([server.close(0), face.close(0), stdio.close(0)]);
  own.close();
  expect(await shown()).toEqual({});
});

it("serves the text of a router that has no HTTP: what stdio refuses is counted", async () => {
  const { router, metrics } = rig();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stdio = serveStdio(router, { principal: ada, input, output, metrics });
  input.end(`no frame\n${JSON.stringify(helloFrame())}\n`);
  expect(await stdio.done).toBe("input-ended");
  const text = await metrics.text();
  expect(sampleOf(text, 'trp_transport_refusals_total{error_code="TRP_2000"}')).toBe(1);
  expect(sampleOf(text, 'trp_frames_total{frame_type="HELLO_REQ",answer="HELLO_RES",error_code=""}')).toBe(1);
  expect(() => serveStdio(router, { principal: ada, metrics: {} as never })).toThrow(TypeError);
});
