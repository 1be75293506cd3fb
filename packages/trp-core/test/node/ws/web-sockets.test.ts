import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bearerToken, bearerTokens } from "../../../src/index.ts";
import { type ServeHttpOptions, serveHttp } from "../../../src/node/index.ts";
import { serveWebSockets, type WebSocketOptions, webSockets } from "../../../src/node/ws/index.ts";
import { ada, fakeRouter, withResolvers } from "../../http/fake-router.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const who = bearerTokens({ good: { principal: "ada" }, other: { principal: "bob" } });

async function start(options: Partial<ServeHttpOptions> = {}, sockets: WebSocketOptions = {}) {
  const fake = fakeRouter();
  const authenticate = (header: string | undefined) => who(bearerToken(header));
  const server = await serveHttp(fake.router, { authenticate, webSockets: webSockets(sockets), ...options });
  cleanUp.push(() => server.close(0));
  return { fake, server, url: `ws://127.0.0.1:${server.port}/trp/ws` };
}

interface Headers {
  [name: string]: string;
}

async function open(url: string, headers: Headers = { authorization: "Bearer good" }, protocols: string[] = []) {
  const socket = new WebSocket(url, protocols, { headers });
  cleanUp.push(() => socket.terminate());
  const got: unknown[] = [];
  let told = (): void => {};
  socket.on("message", (data) => {
    got.push(JSON.parse(String(data)));
    told();
  });
  const closed = new Promise<[number, string]>((resolve) => {
    socket.once("close", (code, reason) => resolve([code, String(reason)]));
  });
  await once(socket, "open");
  return {
    socket,
    closed,
    /** The first so many messages. */
    async messages(count: number): Promise<Record<string, unknown>[]> {
      while (got.length < count) {
        await new Promise<void>((resolve) => {
          told = resolve;
        });
      }
      return got as Record<string, unknown>[];
    },
  };
}

/** The status and the body with which an upgrade is refused. */
async function refused(url: string, headers: Headers = {}, protocols: string[] = []) {
  const socket = new WebSocket(url, protocols, { headers });
  const [, response] = await once(socket, "unexpected-response");
  let text = "";
  for await (const chunk of response) text += chunk;
  const { frame_type: type, payload } = JSON.parse(text);
  return [response.statusCode, type, payload.error_code];
}

it("answers each frame when its answer is there, in the name of the token's principal", async () => {
  const { fake, url } = await start();
  const slow = withResolvers();
  fake.answer = async (frame) => ((frame as { n: number }).n === 1 ? await slow.promise : { echo: frame });
  const { socket, messages } = await open(url);
  socket.send('{"n":1}');
  socket.send(Buffer.from('{"n":2,"text":"ü"}'));
  expect(await messages(1)).toEqual([{ echo: { n: 2, text: "ü" } }]);
  slow.resolve({ late: true });
  expect(await messages(2)).toContainEqual({ late: true });
  expect(fake.seen.map(({ context }) => context.principal.id)).toEqual(["ada", "ada"]);
});

it("tells plain HTTP that the path is a WebSocket, and keeps the connection", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUp.push(() => agent.destroy());
  const ask = (url: string, method: string) =>
    new Promise<{ head: unknown[]; body: string }>((resolve, reject) => {
      const asked = request(url.replace("ws:", "http:"), { method, agent }, async (response) => {
        let body = "";
        for await (const chunk of response) body += chunk;
        const { upgrade, connection } = response.headers;
        resolve({ head: [response.statusCode, upgrade, connection, asked.reusedSocket], body });
      });
      asked.on("error", reject).end();
    });
  const { url } = await start();
  const { head, body } = await ask(url, "GET");
  expect(head).toEqual([426, "websocket", "upgrade", false]);
  const { frame_type, payload } = JSON.parse(body);
  expect([frame_type, payload.error_code, payload.dispatched]).toEqual(["NACK", "TRP_2000", false]);
  expect(payload.fix).toContain("POST /trp/frame");
  expect(await ask(`${url}?x=1`, "HEAD")).toEqual({ head: [426, "websocket", "upgrade", true], body: "" });
  expect((await ask(url, "POST")).head[0]).toBe(426);
  expect((await ask(`${url}/more`, "GET")).head[0]).toBe(404);
  // Only where there are WebSockets, and not where a path has both.
  const without = await serveHttp(fakeRouter().router, { authenticate: () => undefined });
  cleanUp.push(() => without.close(0));
  expect((await ask(`${without.url}/trp/ws`, "GET")).head[0]).toBe(404);
  const both = await start({}, { path: "/healthz" });
  expect((await ask(both.url.replace("/trp/ws", "/healthz"), "GET")).head[0]).toBe(200);
});

it("refuses before the upgrade: callers, hosts, origins and protocols that it does not know", async () => {
  const { url } = await start({ allowedOrigins: ["https://app.example"] });
  const good = { authorization: "Bearer good" };
  expect(await refused(url)).toEqual([401, "NACK", "TRP_4007"]);
  expect(await refused(url, { authorization: "Bearer bad" })).toEqual([401, "NACK", "TRP_4007"]);
  expect(await refused(url, { ...good, host: "evil.example" })).toEqual([403, "NACK", "TRP_4001"]);
  expect(await refused(url, { ...good, origin: "https://evil.example" })).toEqual([403, "NACK", "TRP_4001"]);
  expect(await refused(url, good, ["mqtt"])).toEqual([400, "NACK", "TRP_2000"]);
  expect(await refused(`${url}/more`, good)).toEqual([404, "NACK", "TRP_2000"]);
  await open(url, { ...good, origin: "https://app.example" });
});

it("takes the token of a page as a subprotocol, and only one token", async () => {
  const { fake, url } = await start();
  const token = `trp.bearer.${Buffer.from("other").toString("base64url")}`;
  const { socket, messages } = await open(url, {}, ["trp.v0.1", token]);
  expect(socket.protocol).toBe("trp.v0.1");
  socket.send("{}");
  await messages(1);
  expect(fake.seen[0]?.context.principal.id).toBe("bob");
  expect(await refused(url, { authorization: "Bearer good" }, ["trp.v0.1", token])).toEqual([400, "NACK", "TRP_2000"]);
  expect(await refused(url, {}, ["trp.v0.1", "trp.bearer.!"])).toEqual([401, "NACK", "TRP_4007"]);
});

it("refuses what is no frame by the frame's id, as far as it can be read, and goes on", async () => {
  const { url, fake } = await start();
  const { socket, messages, closed } = await open(url);
  const deep = `{"frame_id":"deep","payload":${"[".repeat(70)}${"]".repeat(70)}}`;
  for (const message of [
    "not json",
    Buffer.from([0x22, 0xff, 0x22]),
    `{"payload":{"frame_id":"inner"},"frame_id":"large","x":"${"x".repeat(1000)}"}`,
    deep,
  ]) {
    socket.send(message, { binary: false });
  }
  socket.send('{"fine":1}');
  const answers = await messages(5);
  const faults = answers.slice(0, 3).map(({ payload }) => {
    const { error_code: code, nack_of_frame_id: id, message } = payload as Record<string, string>;
    return `${code} ${id} ${message}`;
  });
  expect(faults).toEqual([
    "TRP_2000 null The frame is not JSON.",
    "TRP_2000 null The frame is not UTF-8.",
    "TRP_2008 large A frame may have at most 1000 bytes.",
  ]);
  expect(answers[4]).toEqual({ echo: { fine: 1 } });
  expect(fake.seen).toHaveLength(2);
  // Beyond twice the limit nothing is read of it any more.
  socket.send("x".repeat(2001));
  expect((await closed)[0]).toBe(1009);
});

it("takes so many connections, and so many of one caller", async () => {
  const { url } = await start({}, { connections: 3, connectionsPerPrincipal: 2 });
  const first = await open(url);
  await open(url);
  const good = { authorization: "Bearer good" };
  expect(await refused(url, good)).toEqual([503, "NACK", "TRP_5003"]);
  await open(url, { authorization: "Bearer other" });
  expect(await refused(url, { authorization: "Bearer other" })).toEqual([503, "NACK", "TRP_5003"]);
  first.socket.close();
  await first.closed;
  await open(url);
});

it("does not read from a client that does not read, and closes its connection in the end", async () => {
  const { url, fake } = await start({ limits: { unreadBytes: 10_000, unreadMs: 100 } });
  fake.answer = async (frame) => (frame === "waits" ? await new Promise(() => {}) : { text: "x".repeat(50_000) });
  const { socket, closed } = await open(url);
  socket.pause();
  socket.send('"waits"');
  for (let n = 0; n < 2_000; n++) socket.send("{}");
  // Nothing more of it is done once it does not read.
  await expect.poll(() => fake.seen[0]?.context.signal?.aborted, { timeout: 10_000 }).toBe(true);
  expect(fake.seen.length).toBeLessThan(300);
  socket.resume();
  expect((await closed)[0]).toBeOneOf([1006, 1008]);
});

it("gives a client up that answers no ping", async () => {
  const { url, fake } = await start({}, { pingMs: 20 });
  fake.answer = () => new Promise(() => {});
  const socket = new WebSocket(url, { headers: { authorization: "Bearer good" }, autoPong: false });
  await once(socket, "open");
  socket.send("{}");
  const [code] = await once(socket, "close");
  expect(code).toBe(1006);
  await expect.poll(() => fake.seen[0]?.context.signal?.aborted).toBe(true);
});

it("closes in order: what runs is answered, what comes is refused", async () => {
  const { url, server, fake } = await start();
  const slow = withResolvers();
  fake.answer = () => slow.promise;
  const { socket, messages, closed } = await open(url);
  socket.send('{"frame_id":"early"}');
  await expect.poll(() => fake.seen.length).toBe(1);
  const ended = server.close();
  socket.send('{"frame_id":"late"}');
  const [nack] = await messages(1);
  expect(nack).toMatchObject({ payload: { error_code: "TRP_5003", nack_of_frame_id: "late" } });
  slow.resolve({ done: 1 });
  expect((await messages(2))[1]).toEqual({ done: 1 });
  expect(await closed).toEqual([1001, "The router is shutting down."]);
  await ended;
});

it("is served on a server of one's own, beside other upgrades", async () => {
  const { router } = fakeRouter();
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets = await serveWebSockets(router, { server, authenticate: () => ada, path: "/agents" });
  const { socket, messages, closed } = await open(`ws://127.0.0.1:${port}/agents`, {});
  socket.send("{}");
  expect(await messages(1)).toEqual([{ echo: {} }]);
  server.on("upgrade", ({ url }, stream) => url === "/mine" && stream.end("HTTP/1.1 299 Mine\r\n\r\n"));
  const headers = { connection: "upgrade", upgrade: "mine" };
  const [response] = await once(request({ port, path: "/mine", headers }).end(), "response");
  expect(response.statusCode).toBe(299);
  response.resume();
  await sockets.close();
  expect((await closed)[0]).toBe(1001);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it("refuses options that can't be", async () => {
  const { router } = fakeRouter();
  expect(() => webSockets({ path: "ws" })).toThrow("path");
  expect(() => webSockets({ connections: 0 })).toThrow("connections");
  expect(() => webSockets({ conections: 1 } as never)).toThrow('Did you mean "connections"?');
  await expect(serveWebSockets(router, { authenticate: () => ada, server: {} as never })).rejects.toThrow(TypeError);
});
