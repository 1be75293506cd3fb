import { expect, it } from "vitest";
import { clientAt, gateOf, listening, newest, newestRequest, principal, until, upstream } from "./support.ts";

const url = "http://gate.test/mcp";
const revision = "2025-11-25";

async function open(gate: ReturnType<typeof gateOf>["gate"], token = "anna", credential = token) {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const send = (body: object, headers: Record<string, string> = {}, as = token) =>
    gate.fetch(
      new Request(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      }),
      { principal: principal(as), credential },
    );
  const response = await send({ id: 1, method: "initialize", params });
  const id = response.headers.get("mcp-session-id") ?? "";
  await response.text();
  const own = { "mcp-session-id": id };
  return {
    id,
    status: response.status,
    ping: async (as = token) => {
      const answer = await send({ id: 2, method: "ping" }, own, as);
      await answer.text();
      return answer.status;
    },
    stream: () =>
      gate.fetch(new Request(url, { headers: { accept: "text/event-stream", ...own } }), {
        principal: principal(token),
        credential,
      }),
    end: () => gate.fetch(new Request(url, { method: "DELETE", headers: own }), { principal: principal(token) }),
  };
}

it("binds a session to its principal: to another it does not exist", async () => {
  const { gate } = gateOf([]);
  const session = await open(gate);
  expect(session.id).toMatch(/^[0-9a-f]{32}$/);
  expect(await session.ping()).toBe(200);
  expect(await session.ping("berta")).toBe(404);
  expect(gate.sessions).toBe(1);
  expect((await session.end()).status).toBe(200);
  expect(await session.ping()).toBe(404);
  expect(gate.sessions).toBe(0);
});

it("ends the session that was idle longest where a principal has too many", async () => {
  const { gate } = gateOf([], { limits: { sessionsPerPrincipal: 2 } });
  const [first, second] = [await open(gate), await open(gate)];
  expect(await first.ping()).toBe(200);
  const other = await open(gate, "berta");
  const third = await open(gate);
  expect(await Promise.all([first, second, third, other].map((one) => one.ping()))).toEqual([200, 404, 200, 200]);
});

it("refuses a session where all are in use", async () => {
  const { gate } = gateOf([], { limits: { sessions: 2, sessionsPerPrincipal: 1 } });
  const first = await open(gate);
  const stream = await first.stream();
  expect(stream.status).toBe(200);
  expect((await open(gate)).status).toBe(429);
  const berta = await open(gate, "berta");
  await berta.stream();
  expect((await open(gate, "carl")).status).toBe(503);
  await stream.body?.cancel();
  expect((await open(gate, "carl")).status).toBe(200);
  expect(await first.ping()).toBe(404);
});

it("ends idle sessions, but none that is in use", async () => {
  const { gate } = gateOf([], { limits: { sessionIdleMs: 40 } });
  const [idle, used] = [await open(gate), await open(gate)];
  await used.stream();
  await until(() => gate.sessions === 1);
  expect(await idle.ping()).toBe(404);
  expect(await used.ping()).toBe(200);
});

it("ends sessions and streams with the token that they came in by", async () => {
  const { gate } = gateOf([await upstream("desk", [{ name: "one" }])]);
  const revoked = await open(gate, "anna", "t1");
  const kept = await open(gate, "anna", "t2");
  const streams = [await revoked.stream(), await kept.stream()];
  const listen = newestRequest(url, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  const modern = await gate.fetch(listen, { principal: principal("anna"), credential: "t1" });
  expect(modern.headers.get("content-type")).toMatch(/event-stream/);
  await gate.end(({ credential }) => credential === "t1");
  expect(await revoked.ping()).toBe(404);
  expect(await kept.ping()).toBe(200);
  await streams[0]?.text();
  expect(await modern.text()).toMatch(/subscriptions\/acknowledged/);
});

it.each([revision, newest])("tells clients of %s that the list has changed", async (spoken) => {
  const server = await upstream("desk", [{ name: "one" }]);
  const { gate } = gateOf([server]);
  const changed: unknown[] = [];
  const onChanged = () => void changed.push(spoken);
  const options = { listChanged: { tools: { onChanged, autoRefresh: false, debounceMs: 0 } } };
  const client = await clientAt(await listening(gate), spoken, options);
  await client.listTools();
  // The stream of notifications may come a moment after the client.
  await until(async () => {
    server.change();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return changed.length > 0;
  });
});
