import { readFileSync } from "node:fs";
import { contentText } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { final, sleep } from "../support.ts";
import {
  clientOf,
  type HttpServer,
  httpServer,
  isAlive,
  type Ledger,
  makeLedger,
  stdioClient,
  until,
} from "./support.ts";

async function kitOf(client: Parameters<Toolkit["registerMcpClient"]>[0]): Promise<Toolkit> {
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  return kit;
}

async function pidOf(kit: Toolkit): Promise<number> {
  return Number(contentText((await final(kit, { name: "pid" })).content));
}

const notIdempotent = "append";
const repeatable = ["set", "look"] as const;

it("sends a call that may run twice again, whether the server dies before its effect or after", async () => {
  const ledger = makeLedger();
  const kit = await kitOf(stdioClient({ LEDGER: ledger.path }));
  for (const name of repeatable) {
    for (const [die, effects] of [
      ["before", 1],
      ["after", 2],
    ] as const) {
      const response = await final(kit, { name, input: { note: `${name}-${die}`, die } });
      expect(response).toMatchObject({ status: "ok", content: [{ text: `${name} done: ${name}-${die}` }] });
      expect(ledger.count(`${name} ${name}-${die}`)).toBe(effects);
    }
  }
});

it("does not send a call again that must not run twice, and says that its effect is not known", async () => {
  const ledger = makeLedger();
  const kit = await kitOf(stdioClient({ LEDGER: ledger.path }));
  for (const [die, effects] of [
    ["before", 0],
    ["after", 1],
  ] as const) {
    const response = await final(kit, { name: "append", input: { note: die, die } });
    expect(response).toMatchObject({ status: "error", error: { type: "InDoubt" } });
    expect(response.error?.message).toContain("not known whether the call took effect");
    expect(ledger.count(`append ${die}`)).toBe(effects);
  }
  // The next call has a new server, and the old ones are not made up for.
  expect(await final(kit, { name: "append", input: { note: "next" } })).toMatchObject({ status: "ok" });
  expect(ledger.lines()).toEqual(["append after", "append next"]);
});

it("connects again before a call when the server died between calls, idempotent or not", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  const client = stdioClient({ LEDGER: ledger.path });
  const kit = await kitOf(client);
  for (const name of [notIdempotent, "set"]) {
    process.kill(await pidOf(kit), "SIGKILL");
    await until(() => !client.connected);
    expect(await final(kit, { name, input: { note: "n" } })).toMatchObject({ status: "ok" });
    expect(ledger.count(`${name} n`)).toBe(1);
  }
});

/** Calls, one after the other and side by side, while `kill` strikes. What the responses say must be what happened. */
async function underFire(kit: Toolkit, ledger: Ledger, kill: () => Promise<void>): Promise<void> {
  const calls = 40;
  let left = calls;
  const one = async (n: number): Promise<void> => {
    await sleep(n * 25);
    const name = n % 4 === 3 ? "set" : "append";
    const { status, error } = await final(kit, { name, input: { note: `n${n}`, ms: (n * 7) % 30 } });
    const times = ledger.count(`${name} n${n}`);
    const said = status === "ok" ? "ok" : (error?.type ?? "");
    const allowed = {
      ok: name === "set" ? [1, 2] : [1],
      ServerUnavailable: [0],
      InDoubt: name === "set" ? [0, 1, 2] : [0, 1],
    };
    expect(allowed[said as keyof typeof allowed], `${name} ${n} says ${said}, and ran ${times} times`).toContain(times);
  };
  const all = Promise.allSettled(
    Array.from({ length: calls }, async (_, n) =>
      one(n).finally(() => {
        left -= 1;
      }),
    ),
  );
  while (left > calls * 0.2) {
    await sleep(150);
    await kill();
  }
  const ends = await all;
  expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(await final(kit, { name: "append", input: { note: "last" } })).toMatchObject({ status: "ok" });
  expect(ledger.count("append last")).toBe(1);
}

it("says the truth of every effect, at whatever moment the server is killed", async () => {
  const ledger = makeLedger();
  const kit = await kitOf(stdioClient({ LEDGER: ledger.path }));
  let killed = 0;
  await underFire(kit, ledger, async () => {
    const pid = Number(readFileSync(`${ledger.path}.pid`, "utf8"));
    if (isAlive(pid)) killed += 1;
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await sleep(250);
  });
  expect(killed).toBeGreaterThan(0);
});

it("over HTTP: says the truth of every effect, at whatever moment the server is killed", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  let server = await httpServer({ LEDGER: ledger.path });
  const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
  await underFire(kit, ledger, async () => {
    await server.kill();
    server = await httpServer({ LEDGER: ledger.path, PORT: String(server.port) });
  });
});

it("ends all calls that run side by side when the server dies, and connects once for all of them", async () => {
  const ledger = makeLedger();
  const client = stdioClient({ LEDGER: ledger.path });
  const kit = await kitOf(client);
  const pid = await pidOf(kit);
  const calls = ["a", "b", "c"].flatMap((note) => [
    final(kit, { name: "append", input: { note, ms: 5000 } }),
    final(kit, { name: "set", input: { note, ms: 300 } }),
  ]);
  await until(() => ledger.lines().length === 6);
  process.kill(pid, "SIGKILL");
  const responses = await Promise.all(calls);
  expect(responses.map(({ status, error }) => error?.type ?? status)).toEqual(
    ["a", "b", "c"].flatMap(() => ["InDoubt", "ok"]),
  );
  for (const note of ["a", "b", "c"]) {
    expect(ledger.count(`append ${note}`)).toBe(1);
    expect(ledger.count(`set ${note}`)).toBe(2);
  }
});

it("does not try for ever: a tool that kills every server ends in error", async () => {
  const client = stdioClient();
  const kit = await kitOf(client);
  const look = await final(kit, { name: "look", input: { note: "n", die: "always" } });
  expect(look.error).toMatchObject({ type: "ServerUnavailable" });
  expect(look.error?.message).not.toContain("took effect");
  const set = await final(kit, { name: "set", input: { note: "n", die: "always" } });
  expect(set.error).toMatchObject({ type: "InDoubt" });
  expect(set.error?.message).toContain("Calling it again does no harm.");
});

it("over HTTP: calls again when the session is not known any more, as nothing can have run", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  const server = await httpServer({ LEDGER: ledger.path });
  const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
  for (const name of [notIdempotent, ...repeatable]) {
    await server.get("/forget");
    expect(await final(kit, { name, input: { note: "n" } })).toMatchObject({ status: "ok" });
    expect(ledger.count(`${name} n`)).toBe(1);
  }
  expect((await server.get("/sessions")).opened).toBe(4);
});

it("over HTTP: one new session for all calls that find theirs lost", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  const server = await httpServer({ LEDGER: ledger.path });
  const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
  await server.get("/forget");
  const notes = ["a", "b", "c", "d", "e"];
  const responses = await Promise.all(notes.map((note) => final(kit, { name: "append", input: { note } })));
  expect(responses.map(({ status }) => status)).toEqual(notes.map(() => "ok"));
  expect(ledger.lines().sort()).toEqual(notes.map((note) => `append ${note}`));
  expect((await server.get("/sessions")).opened).toBe(2);
});

for (const JSON_ANSWERS of ["0", "1"]) {
  const kind = JSON_ANSWERS === "1" ? "plain answers" : "streams";

  it(`over HTTP with ${kind}: notices that the line was cut, and does not double the call`, async () => {
    const ledger = makeLedger();
    const server = await httpServer({ LEDGER: ledger.path, JSON_ANSWERS });
    const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
    const response = await final(kit, { name: "cut", input: { note: "n" } });
    expect(response).toMatchObject({ status: "error", error: { type: "InDoubt" } });
    expect(ledger.count("cut n")).toBe(1);
  });

  it(`over HTTP with ${kind}: the server is killed in mid-call and comes back`, async (context) => {
    leftToCi(context, kind !== "streams");
    const ledger = makeLedger();
    const server = await httpServer({ LEDGER: ledger.path, JSON_ANSWERS });
    const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
    const append = final(kit, { name: "append", input: { note: "n", ms: 60_000 } });
    await until(() => ledger.count("append n") === 1);
    await server.kill();
    expect((await append).error?.type).toBe("InDoubt");
    const gone = await final(kit, { name: "append", input: { note: "m" } });
    expect(gone.error).toMatchObject({ type: "ServerUnavailable" });
    expect(gone.error?.message).toContain("did not run");
    await httpServer({ LEDGER: ledger.path, JSON_ANSWERS, PORT: String(server.port) });
    expect((await final(kit, { name: "append", input: { note: "m" } })).status).toBe("ok");
    expect(ledger.lines()).toEqual(["append n", "append m"]);
  });
}

it("over HTTP: a server that was killed and came back between calls has lost the session; the call runs once", async () => {
  const ledger = makeLedger();
  const start = (PORT: string): Promise<HttpServer> => httpServer({ LEDGER: ledger.path, PORT });
  let server = await start("0");
  const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
  for (const note of ["a", "b"]) {
    await server.kill();
    server = await start(String(server.port));
    expect(await final(kit, { name: "append", input: { note } })).toMatchObject({ status: "ok" });
  }
  expect(ledger.lines()).toEqual(["append a", "append b"]);
});

it("over HTTP: what a status says of the call", async (context) => {
  leftToCi(context);
  const server = await httpServer();
  const kit = await kitOf(clientOf({ name: "unruly", transport: { type: "http", url: server.url } }));
  for (const [status, append, look] of [
    [400, "McpError", "McpError"],
    [401, "McpError", "McpError"],
    [404, "ServerUnavailable", "ServerUnavailable"],
    [429, "McpError", "McpError"],
    [500, "InDoubt", "ServerUnavailable"],
    [503, "InDoubt", "ServerUnavailable"],
  ] as const) {
    await server.get(`/status/${status}`);
    const responses = await Promise.all(["append", "look"].map((name) => final(kit, { name, input: { note: "n" } })));
    expect([status, ...responses.map(({ error }) => error?.type)]).toEqual([status, append, look]);
  }
  await server.get("/status/0");
  expect(await final(kit, { name: "append", input: { note: "n" } })).toMatchObject({ status: "ok" });
});

it("stateless: each call has a session of its own, and the same rule", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  const client = stdioClient({ LEDGER: ledger.path }, { stateful: false });
  const kit = await kitOf(client);
  expect(await pidOf(kit)).not.toBe(await pidOf(kit));
  expect((await final(kit, { name: "append", input: { note: "n", die: "after" } })).error?.type).toBe("InDoubt");
  expect(ledger.count("append n")).toBe(1);
  expect((await final(kit, { name: "set", input: { note: "m", die: "after" } })).status).toBe("ok");
  expect(ledger.count("set m")).toBe(2);
});
