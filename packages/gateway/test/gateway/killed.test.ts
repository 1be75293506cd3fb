import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bundle, type Program, start } from "@toolglot/internal/testing/programs";
import { beforeAll, expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { gateOf, inProcess, listening, routed, until } from "../../../trp-mcp/test/serve/support.ts";
import { openTokens } from "../../src/index.ts";
import { shopServer } from "./support.ts";

let script: string;
beforeAll(async () => {
  script = await bundle("gateway", import.meta.dirname);
}, 60_000);

/** What a client heard of an order: the status of an answer, or nothing. */
async function addNote(client: Client, id: string, timeout: number): Promise<string> {
  try {
    const { _meta = {} } = await client.callTool({ name: "shop__add_note", arguments: { id } }, { timeout });
    return (_meta["toolglot/outcome"] as { status: string }).status;
  } catch {
    return "nothing";
  }
}

async function connect(folder: string, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(readFileSync(join(folder, "url"), "utf8"));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

it("does nothing twice and tells the truth, whenever it is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-killed-"));
  const tokens = await openTokens(join(folder, "tokens.json"));
  const { token } = await tokens.add({ principal: "agent" });
  tokens.close();
  const heard = new Map<string, string[]>();
  const hear = (id: string, status: string): void => void heard.set(id, [...(heard.get(id) ?? []), status]);
  const run = async (work: (client: Client, program: Program) => Promise<void>): Promise<void> => {
    const program = start(script, { folder, mcpServers: { shop: shopServer(folder) } });
    await program.said("ready");
    const client = await connect(folder, token);
    await work(client, program);
    program.child.kill("SIGKILL");
    await Promise.all([program.ended, client.close().catch(() => {})]);
  };
  for (let round = 0; round < 5; round++) {
    await run(async (client, program) => {
      const ids = Array.from({ length: 12 }, (_, at) => `${round}-${at}`);
      const calls = ids.map(async (id, at) => {
        await sleep(at * 2);
        // The official client goes on waiting for a server that is gone.
        hear(id, await addNote(client, id, 2_000));
      });
      await sleep(3 + round * 6);
      program.child.kill("SIGKILL");
      await Promise.all(calls);
    });
  }
  // A client that heard nothing asks again, as MCP tells it to.
  await run(async (client) => {
    for (const id of heard.keys()) hear(id, await addNote(client, id, 60_000));
  });
  const file = join(folder, "done.txt");
  const done = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  for (const [id, statuses] of heard) {
    const times = done.filter((line) => line === `add_note ${id}`).length;
    const last = statuses.at(-1);
    expect(times, `${id}: ${statuses}`).toBeLessThanOrEqual(1);
    expect(["done", "replayed", "unknown"], `${id}: ${statuses}`).toContain(last);
    if (statuses.includes("done") || last === "replayed") expect(times, `${id}: ${statuses}`).toBe(1);
  }
  expect([...heard.values()].flat()).toContain("nothing");
  expect([...heard.values()].flat()).toContain("done");
}, 120_000);

it("goes on asking for the task of a call that it was killed in, and does not make the call again", async () => {
  const ran: unknown[] = [];
  let go = (): void => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  const annotations = { destructiveHint: false };
  const shop = inProcess("shop", [{ name: "pay", annotations } as never], async (_name, args) => {
    ran.push(args);
    await told;
    return { content: [{ type: "text", text: "paid" }] };
  });
  const store = await storeUnderTest();
  const { servers, calls } = await routed({ shop }, { store });
  const { gate } = gateOf(servers, { calls, store, taskAfterMs: 20 });
  let looks = 0;
  const watched: typeof gate.fetch = (request, ...rest) => {
    if (request.headers.get("mcp-method") === "tasks/get") looks++;
    return gate.fetch(request, ...rest);
  };
  const url = await listening({ ...gate, fetch: watched } as typeof gate);
  const folder = mkdtempSync(join(tmpdir(), "toolglot-killed-"));
  const tokens = await openTokens(join(folder, "tokens.json"));
  const { token } = await tokens.add({ principal: "agent" });
  tokens.close();
  const far = { url, headers: { authorization: "Bearer near" } };
  const begin = async (): Promise<{ program: Program; client: Client }> => {
    const program = start(script, { folder, mcpServers: { far }, settings: { leaseMs: 1_000 } });
    await program.said("ready");
    return { program, client: await connect(folder, token) };
  };
  const pay = (client: Client) =>
    client.callTool({ name: "far__shop__pay", arguments: { id: "o1" } }, { timeout: 60_000 });
  const first = await begin();
  const lost = pay(first.client).catch(() => "nothing");
  await until(() => looks > 0, 30_000);
  first.program.child.kill("SIGKILL");
  await first.program.ended;
  await first.client.close().catch(() => {});
  await lost;
  const seen = looks;
  const second = await begin();
  const answer = pay(second.client);
  await until(() => looks > seen, 30_000);
  go();
  const { content, _meta } = await answer;
  expect(JSON.stringify(content)).toContain("paid");
  expect(_meta?.["toolglot/outcome"]).toMatchObject({
    dispatched: true,
    status: expect.stringMatching(/^(done|replayed)$/),
  });
  expect(ran).toEqual([{ id: "o1" }]);
  second.program.child.kill("SIGKILL");
  await Promise.all([second.program.ended, second.client.close().catch(() => {})]);
}, 120_000);
