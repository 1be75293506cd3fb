import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bundle, type Program, start } from "@toolglot/internal/testing/programs";
import { beforeAll, expect, it } from "vitest";
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
