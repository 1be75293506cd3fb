import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type HttpServer, type ServeHttpOptions, serveHttp } from "../../src/node/index.ts";
import { ada, type FakeRouter, fakeRouter } from "../http/fake-router.ts";

const open: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

async function start(options: Partial<ServeHttpOptions> = {}): Promise<HttpServer & { fake: FakeRouter }> {
  const fake = fakeRouter();
  const server = await serveHttp(fake.router, { authenticate: () => ada, ...options });
  open.push(server);
  return Object.assign(server, { fake });
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

function send(
  server: HttpServer,
  options: { method?: string; path?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answer> {
  const { method = "POST", path = "/trp/frame", headers = { "content-type": "application/json" }, body } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: server.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** What comes back for raw bytes, until the server closes. */
async function raw(server: HttpServer, bytes: string): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("error", () => undefined);
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

it("answers a frame with 200, and no header says what runs here", async () => {
  const server = await start();
  const answer = await send(server, { body: '{"a":"ü"}' });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toEqual({ echo: { a: "ü" } });
  expect(answer.headers["content-length"]).toBe(String(Buffer.byteLength(answer.text)));
  expect(answer.headers["x-powered-by"]).toBeUndefined();
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
});

it("refuses too much with 413 while it is still being sent, with and without a length", async () => {
  const server = await start();
  const body = Buffer.alloc(3_000_000, 32);
  for (const headers of [
    { "content-type": "application/json", "content-length": String(body.length) },
    { "content-type": "application/json", "transfer-encoding": "chunked" },
  ]) {
    const answer = await send(server, { body, headers });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text).payload.error_code).toBe("TRP_2008");
  }
  expect(server.fake.seen).toEqual([]);
});

it("takes a body of exactly the limit, in many pieces", async () => {
  const server = await start();
  const body = JSON.stringify({ text: "ü".repeat(200) }).padEnd(800, " ");
  const bytes = Buffer.from(body);
  const limit = await start({ limits: { frameBytes: bytes.length } });
  const socket = connect(limit.port, "127.0.0.1");
  socket.write(
    `POST /trp/frame HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`,
  );
  for (const byte of bytes) socket.write(Uint8Array.of(byte));
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  await once(socket, "close");
  expect(text).toContain("200 OK");
  expect(text).toContain("ü".repeat(200));
  expect((await send(limit, { body: `${body} ` })).status).toBe(413);
  expect(server.fake.seen).toEqual([]);
});

it("refuses other hosts on a loopback address, so that a page can't rebind its name to it", async () => {
  const server = await start();
  const headers = { "content-type": "application/json", host: "evil.example" };
  const answer = await send(server, { body: "{}", headers });
  expect(answer.status).toBe(403);
  expect(JSON.parse(answer.text)).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_4001" } });
  for (const host of ["localhost:1", "127.0.0.1", `[::1]:${server.port}`, "LOCALHOST"]) {
    expect((await send(server, { body: "{}", headers: { ...headers, host } })).status).toBe(200);
  }
});

it("answers what is no HTTP, and too big a head, with a NACK", async () => {
  const server = await start({ maxHeaderBytes: 2000 });
  const noise = await raw(server, "HELLO\r\n\r\n");
  expect(noise).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(JSON.parse(noise.slice(noise.indexOf("\r\n\r\n"))).payload.error_code).toBe("TRP_2000");
  const huge = await raw(server, `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(5000)}\r\n\r\n`);
  expect(huge).toMatch(/^HTTP\/1\.1 431 /);
});

it("gives a slow client up: a head or a body that does not come", async () => {
  const server = await start({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
  expect(await raw(server, "POST /trp/frame HTTP/1.1\r\nHost: local")).toMatch(/^HTTP\/1\.1 408 /);
  const body =
    "POST /trp/frame HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{";
  expect(await raw(server, body)).toMatch(/^HTTP\/1\.1 408 /);
  expect(server.fake.seen).toEqual([]);
});

it("says go on to a client that asks first, and refuses without reading what is too big", async () => {
  const server = await start();
  const head = (length: number): string =>
    `POST /trp/frame HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
  const socket = connect(server.port, "127.0.0.1");
  socket.write(head(2));
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue/);
  socket.write("{}");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  await once(socket, "close");
  expect(text).toContain('{"echo":{}}');
  const refused = connect(server.port, "127.0.0.1");
  refused.on("error", () => undefined);
  refused.write(head(5_000_000));
  const [answer] = (await once(refused, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  refused.destroy();
});

it("tells the router when the caller is gone", async () => {
  const server = await start();
  const aborted = new Promise<void>((resolve) => {
    server.fake.answer = (_frame, context) =>
      new Promise((answer) => {
        context.signal?.addEventListener("abort", () => {
          resolve();
          answer({});
        });
      });
  });
  const request = httpRequest({
    host: "127.0.0.1",
    port: server.port,
    method: "POST",
    path: "/trp/frame",
    headers: { "content-type": "application/json" },
  });
  request.on("error", () => undefined);
  request.end("{}");
  while (server.fake.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  request.destroy();
  await aborted;
});

it("streams events: an ACK when the call is accepted, then the answer", async () => {
  const server = await start({ heartbeatMs: 20 });
  const frame = {
    frame_type: "CALL_REQ",
    session_id: "s",
    trace_id: "t",
    frame_id: "f",
    seq: 3,
    payload: { call_id: "c" },
  };
  const facts = { traceId: "t", sessionId: "s", capId: "cap.x.v1", principal: "ada", tenant: "default" };
  server.fake.answer = async () => {
    server.fake.emit({ type: "call.accepted", at: 1, callId: "other", ...facts });
    server.fake.emit({ type: "call.accepted", at: 1, callId: "c", ...facts });
    await new Promise((resolve) => setTimeout(resolve, 60));
    return { frame_type: "RESULT" };
  };
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const answer = await send(server, { body: JSON.stringify(frame), headers });
  expect(answer.headers["content-type"]).toContain("text/event-stream");
  expect(answer.text).toContain(": \n\n");
  const frames = answer.text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice(6)));
  expect(frames).toMatchObject([
    { frame_type: "ACK", payload: { ack_of_call_id: "c", status: "ACCEPTED", expected_seq_next: 4 } },
    { frame_type: "RESULT" },
  ]);
});

it("shuts down in order: not ready, nothing new, what runs is finished", async () => {
  const server = await start();
  let finish: (value: unknown) => void = () => undefined;
  server.fake.answer = () => new Promise((resolve) => (finish = resolve));
  const running = send(server, { body: "{}" });
  const kept = connect(server.port, "127.0.0.1");
  kept.on("error", () => undefined);
  kept.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [ready] = (await once(kept, "data")) as [Buffer];
  expect(ready.toString()).toContain("200 OK");
  while (server.fake.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  // This request is on its way when the server begins to close: it holds the connection open, and is refused.
  const body = '{"late":true}';
  const head = `POST /trp/frame HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  kept.write(head.slice(0, 20));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closing = server.close();
  kept.write(head.slice(20) + body);
  const [refused] = (await once(kept, "data")) as [Buffer];
  expect(refused.toString()).toContain("503");
  expect(refused.toString()).toContain("TRP_5003");
  finish({ done: true });
  expect((await running).text).toBe('{"done":true}');
  await closing;
  await expect(send(server, { body: "{}" })).rejects.toThrow();
  expect(server.fake.seen).toHaveLength(1);
});

it("closes what does not end when the time is over", async () => {
  const server = await start();
  server.fake.answer = () => new Promise(() => undefined);
  const hanging = send(server, { body: "{}" });
  hanging.catch(() => undefined);
  while (server.fake.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await server.close(20);
  await expect(hanging).rejects.toThrow();
});

it("keeps no more connections than allowed", async () => {
  const server = await start({ maxConnections: 1 });
  const first = connect(server.port, "127.0.0.1");
  await once(first, "connect");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await raw(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe("");
  first.destroy();
});

/** Connections that never end: the server's and the clients' sides, as this process has them open. */
const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

/** How many there are once those of the tests before have closed. */
async function settledSockets(): Promise<number> {
  for (let known = sockets(); ; known = sockets()) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (sockets() === known) return known;
  }
}

it.each([
  ["a client that is too slow", "POST /trp/frame HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: "],
  ["what is no HTTP", "HELLO\r\n\r\n"],
  ["a body that is not wanted", "POST /trp/frame HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"],
])("lets go of the socket of %s, though the client never closes its side", async (_name, text) => {
  const server = await start({ headersTimeoutMs: 200, requestTimeoutMs: 300 });
  const before = await settledSockets();
  const count = 20;
  const clients = Array.from({ length: count }, () => {
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.write(text));
    socket.on("error", () => {});
    return { socket, answered: once(socket, "data") };
  });
  await Promise.all(clients.map(({ answered }) => answered));
  expect(sockets()).toBeGreaterThanOrEqual(before + count);
  // Two seconds are the rule; a busy machine may take ten times as long.
  for (let waited = 0; sockets() > before + count && waited < 200; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(sockets()).toBeLessThanOrEqual(before + count);
  for (const { socket } of clients) socket.destroy();
});

it("keeps no more connections of one address than allowed, and takes new ones when old ones end", async () => {
  const server = await start({ maxConnectionsPerAddress: 2 });
  const health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const kept = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(server.port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await raw(server, health)).toBe("");
  for (const socket of kept) socket.destroy();
  let answer = "";
  for (let tries = 0; answer === "" && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer = await raw(server, health);
  }
  expect(answer).toContain("200 OK");
});

it.each(["maxConnections", "maxConnectionsPerAddress"] as const)("takes a number from 1 as %s", async (name) => {
  for (const value of [0, -1, 1.5, Number.NaN, "9"]) {
    const wrong = { authenticate: () => ada, [name]: value as number };
    await expect(serveHttp(fakeRouter().router, wrong)).rejects.toThrow(`${name} must be a whole number from 1`);
  }
});

it("refuses options that can't be, and a port that is taken", async () => {
  const { router } = fakeRouter();
  await expect(serveHttp(router, { authenticate: "token" as never })).rejects.toThrow(TypeError);
  await expect(serveHttp(router, { authenticate: () => ada, limits: { frameBytes: 0 } })).rejects.toThrow("frameBytes");
  const server = await start();
  await expect(serveHttp(router, { authenticate: () => ada, port: server.port })).rejects.toThrow("EADDRINUSE");
});

it.each([
  ["Host: localhost\r\nHost: evil\r\n"],
  ["Host: localhost\r\nAuthorization: Bearer a\r\nAUTHORIZATION: Bearer b\r\n"],
])("refuses a request that says twice who calls, or whom: %j", async (headers) => {
  const server = await start();
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (data: Buffer) => {
    text += data.toString();
  });
  socket.end(`POST /trp/frame HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/"error_code":"TRP_2000"/);
});

it("closes the connection of a stream or of an answer that is not read", async () => {
  const server = await start({ limits: { unreadBytes: 10_000, unreadMs: 20 } });
  const big = { text: "x".repeat(12_000_000) } as never;
  server.fake.answer = async (_frame, { onPartial }) => {
    if (onPartial === undefined) return big;
    onPartial(big);
    return await new Promise(() => {});
  };
  for (const accept of ["application/json", "text/event-stream"]) {
    const socket = connect(server.port, "127.0.0.1");
    const closed = once(socket, "close");
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(
      `POST /trp/frame HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${accept}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    await expect.poll(() => server.fake.seen.length).toBe(accept === "application/json" ? 1 : 2);
    // What the system had taken is all that comes.
    await new Promise((resolve) => setTimeout(resolve, 100));
    let size = 0;
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    socket.resume();
    await closed;
    expect(size).toBeLessThan(12_000_000);
  }
});
