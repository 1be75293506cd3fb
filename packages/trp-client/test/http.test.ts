import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { bearerTokens } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { afterEach, expect, it } from "vitest";
import { type ClientOptions, createClient, fetchTransport, type TrpClient } from "../src/index.ts";
import { type HttpTransportOptions, httpTransport } from "../src/node/index.ts";
import { plainRouter } from "./plain-router.ts";
import { world } from "./support.ts";

const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const authenticate = bearerTokens({ secret: { principal: "agent" } });
const bearer = (authorization: string | undefined) => authenticate(authorization?.replace(/^Bearer /, ""));

function connect(
  transport: Partial<HttpTransportOptions> & { url: string },
  options: Partial<ClientOptions> = {},
): TrpClient {
  const trp = createClient({
    transport: httpTransport({ token: "secret", ...transport }),
    agentId: "t",
    retry: { baseMs: 5, capMs: 50, connectMs: 2000 },
    ...options,
  });
  cleanUp.push(() => trp.close());
  return trp;
}

/** An HTTP server of the test's own. */
async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handle(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

it("calls a router over HTTP, many calls side by side", async () => {
  const { router, effects } = world();
  const server = await serveHttp(router, { authenticate: bearer });
  cleanUp.push(() => server.close(0));
  const trp = connect({ url: server.url });
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, n) => trp.callByCap("cap.note.add.v1", { text: `note ${n}` })),
  );
  expect(results.every(({ status }) => status === "success")).toBe(true);
  expect(new Set(effects).size).toBe(100);
  const text = "ü😀".repeat(5000);
  expect(await trp.callByCap("cap.echo.v1", { text: "ü😀" })).toMatchObject({ result: { data: { said: "ü😀" } } });
  expect((await trp.callByCap("cap.echo.v1", { text })).status).toBe("success");
});

it("tells a refused token as a refusal", async () => {
  const { router } = world();
  const server = await serveHttp(router, { authenticate: bearer });
  cleanUp.push(() => server.close(0));
  const trp = connect({ url: server.url, token: "wrong" });
  await expect(trp.hello()).rejects.toMatchObject({
    code: "trp-client/refused",
    data: { error: { code: "TRP_4007" }, outcome: "not-sent" },
  });
  const result = await trp.callByCap("cap.echo.v1", { text: "x" });
  expect(result).toMatchObject({ status: "refused", dispatched: false, error: { code: "TRP_4007" } });
});

it("says that nothing was sent when there is nobody", async () => {
  const { url, server } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const trp = connect({ url }, { retry: { baseMs: 5, connectMs: 50 } });
  await expect(trp.callByCap("cap.echo.v1", { text: "x" })).rejects.toMatchObject({
    code: "trp-client/unreachable",
    data: { outcome: "not-sent", capId: "cap.echo.v1" },
  });
});

it("waits for a router that comes back, and does nothing twice", async () => {
  const { router, effects } = world();
  let server = await serveHttp(router, { authenticate: bearer });
  cleanUp.push(() => server.close(0));
  const trp = connect({ url: server.url });
  await trp.catalog();
  const { port } = server;
  await server.close(0);
  const calls = Promise.all(["a", "b", "c"].map((text) => trp.callByCap("cap.note.add.v1", { text })));
  await new Promise((resolve) => setTimeout(resolve, 100));
  server = await serveHttp(router, { authenticate: bearer, port });
  expect((await calls).map(({ status }) => status)).toEqual(["success", "success", "success"]);
  expect(effects.toSorted()).toEqual(["a", "b", "c"]);
});

/** In front of a router: loses, breaks and doubles answers by turns. */
async function badProxy(router: ReturnType<typeof plainRouter>, faults: string[]): Promise<string> {
  const { url } = await serve(async (request, response, body) => {
    const fault = faults.shift();
    if (fault === "lost-before") return void request.socket.destroy();
    if (fault === "502") {
      response.writeHead(502, { "content-type": "text/html" });
      return void response.end("<h1>Bad Gateway</h1>");
    }
    const answer = await router.answer(body);
    if (fault === "twice") await router.answer(body);
    if (fault === "lost-after") return void request.socket.destroy();
    if (fault === "504") {
      response.writeHead(504);
      return void response.end();
    }
    if (fault === "cut") {
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
      response.write(answer.slice(0, 20));
      return void setTimeout(() => request.socket.destroy(), 5);
    }
    const bytes = Buffer.from(answer);
    response.writeHead(fault === "400" ? 400 : 200, { "content-type": "application/json" });
    for (let at = 0; at < bytes.length; at += fault === "bytes" ? 1 : bytes.length) {
      response.write(bytes.subarray(at, at + (fault === "bytes" ? 1 : bytes.length)));
    }
    response.end();
  });
  return url;
}

it.each(["lost-before", "lost-after", "502", "504", "cut", "400", "bytes", "twice"])(
  "does a write once through a connection with the fault %s",
  async (fault) => {
    const router = plainRouter();
    const url = await badProxy(router, ["", "", "", fault]);
    const trp = connect({ url });
    await trp.catalog();
    const result = await trp.callByCap("cap.write.v1", { text: "once ü" });
    expect(result).toMatchObject({ status: "success", result: { data: { text: "once ü" } } });
    expect(router.effects).toEqual(["once ü"]);
  },
);

it("gives a hanging server up at the deadline, with an unknown outcome", async () => {
  const router = plainRouter();
  const { url } = await serve(async (_request, response, body) => {
    const answer = await router.answer(body);
    if (!body.includes("CALL_REQ")) response.end(answer);
  });
  const trp = connect({ url });
  await trp.catalog();
  const call = trp.callByCap("cap.write.v1", { text: "x" }, { deadlineMs: 100 });
  await expect(call).rejects.toMatchObject({
    code: "trp-client/timeout",
    data: { outcome: "unknown", capId: "cap.write.v1", key: expect.any(String), callId: expect.any(String) },
  });
});

it("takes a connection the server closed while it lay idle for what it is", async () => {
  const router = plainRouter();
  const sockets: Socket[] = [];
  const { url, server } = await serve(async (_request, response, body) => void response.end(await router.answer(body)));
  server.on("connection", (socket) => sockets.push(socket));
  const trp = connect({ url }, { retry: { maxRetries: 0, connectMs: 0 } });
  await trp.catalog();
  for (let round = 0; round < 5; round++) {
    // Without waiting: the client doesn't know yet.
    for (const socket of sockets.splice(0)) socket.resetAndDestroy();
    expect((await trp.callByCap("cap.write.v1", { text: `n${round}` })).status).toBe("success");
  }
  expect(router.effects).toEqual(["n0", "n1", "n2", "n3", "n4"]);
});

it("refuses answers that are too big, no UTF-8, or about another frame", async () => {
  const router = plainRouter();
  let spoil: (answer: string) => string | Buffer = (answer) => answer;
  const { url } = await serve(async (_request, response, body) => void response.end(spoil(await router.answer(body))));
  const trp = connect({ url, maxAnswerBytes: 5000 }, { retry: { maxRetries: 0 } });
  await trp.catalog();
  const failing = () => trp.callByCap("cap.find.v1", { text: "x" });
  for (const how of [
    () => " ".repeat(6000),
    () => Buffer.from([0x22, 0xff, 0x22]),
    () => "[]",
    (answer: string) => answer.replace(/"res_[^"]+"/, '"res_other"'),
    (answer: string) => answer.replace(/"call_id":"[^"]+"/, '"call_id":"other"'),
    (answer: string) => answer.replace("cap.find.v1", "cap.write.v1"),
    (answer: string) => answer.replace('"RESULT"', '"HELLO_RES"'),
  ]) {
    spoil = how;
    await expect(failing()).rejects.toMatchObject({ code: "trp-client/bad-answer", data: { outcome: "unknown" } });
  }
});

it("gives a connection up that is never made", async () => {
  // A server whose queue is full takes connections and never speaks TLS.
  const server = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp.push(() => server.close());
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  cleanUp.push(() => sockets.forEach((socket) => void socket.destroy()));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trp = connect({ url, connectTimeoutMs: 50 }, { retry: { connectMs: 0 } });
  await expect(trp.hello()).rejects.toMatchObject({ code: "trp-client/unreachable", data: { outcome: "not-sent" } });
});

it("works over fetch, and reads split characters", async () => {
  const router = plainRouter();
  const url = await badProxy(router, ["", "", "", "bytes", "lost-after", "502"]);
  const trp = createClient({
    transport: fetchTransport({ url, token: async () => "secret" }),
    agentId: "t",
    retry: { baseMs: 5 },
  });
  cleanUp.push(() => trp.close());
  await trp.catalog();
  for (const text of ["ü😀", "two", "three"]) {
    expect(await trp.callByCap("cap.write.v1", { text })).toMatchObject({
      status: "success",
      result: { data: { text } },
    });
  }
  expect(router.effects).toEqual(["ü😀", "two", "three"]);
  const small = createClient({ transport: fetchTransport({ url, maxAnswerBytes: 10 }), agentId: "t" });
  await expect(small.hello()).rejects.toMatchObject({ code: "trp-client/bad-answer" });
});

it("refuses addresses and tokens that can't be", () => {
  expect(() => httpTransport({ url: "ftp://x" })).toThrow(TypeError);
  expect(() => httpTransport({ url: "nowhere" })).toThrow(TypeError);
  expect(() => httpTransport({ url: "http://user:word@x" })).toThrow("token");
  expect(() => httpTransport({ url: "http://x", token: "a b" })).toThrow(TypeError);
  expect(() => fetchTransport({ url: "http://x", token: "a\nb" })).toThrow(TypeError);
});
