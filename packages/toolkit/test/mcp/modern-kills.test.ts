import { contentText } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import type { McpClient } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { clientOf, httpServer, type Ledger, makeLedger, stdioClient, until } from "./support.ts";

/** A server of 2026-07-28 only, and what kills it. */
interface Killable {
  client: McpClient;
  kill(): Promise<void>;
}

async function overStdio(ledger: Ledger): Promise<Killable> {
  const client = stdioClient({ LEDGER: ledger.path, MODERN: "1" });
  const kill = async (): Promise<void> => {
    const { content } = await client.callTool({ name: "pid", arguments: {}, repeatable: true });
    process.kill(Number(contentText(content as never)), "SIGKILL");
    await until(() => !client.connected);
  };
  return { client, kill };
}

async function overHttp(ledger: Ledger): Promise<Killable> {
  const env = { LEDGER: ledger.path, MODERN: "1" };
  let server = await httpServer(env);
  const client = clientOf({ name: "unruly", transport: { type: "http", url: server.url } });
  const kill = async (): Promise<void> => {
    await server.kill();
    server = await httpServer({ ...env, PORT: String(server.port) });
  };
  return { client, kill };
}

// What retries.test.ts has of older revisions.
describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
])("a server of 2026-07-28 over %s", (kind, start) => {
  it("that is killed between calls runs the next one once", async (context) => {
    leftToCi(context, kind === "stdio");
    const ledger = makeLedger();
    const { client, kill } = await start(ledger);
    const kit = new Toolkit();
    await kit.registerMcpClient(client);
    expect(client.revision).toBe("2026-07-28");
    for (const name of ["append", "set"]) {
      await kill();
      expect(await final(kit, { name, input: { note: "n" } })).toMatchObject({ status: "ok" });
      expect(ledger.count(`${name} n`)).toBe(1);
    }
  });

  it("that dies in a call leaves it in doubt, or has it once more when that does no harm", async (context) => {
    leftToCi(context, kind === "stdio");
    const ledger = makeLedger();
    const { client, kill } = await start(ledger);
    const kit = new Toolkit();
    await kit.registerMcpClient(client);
    if (kind === "stdio") {
      const set = await final(kit, { name: "set", input: { note: "s", die: "after" } });
      expect([set.status, ledger.count("set s")]).toEqual(["ok", 2]);
      const append = await final(kit, { name: "append", input: { note: "a", die: "after" } });
      expect([append.error?.type, ledger.count("append a")]).toEqual(["InDoubt", 1]);
      return;
    }
    const append = final(kit, { name: "append", input: { note: "a", ms: 60_000 } });
    await until(() => ledger.count("append a") === 1);
    await kill();
    expect([(await append).error?.type, ledger.count("append a")]).toEqual(["InDoubt", 1]);
  });
});

it("a stream of a server of 2026-07-28 that is cut leaves the call in doubt, and does not double it", async (context) => {
  leftToCi(context);
  const ledger = makeLedger();
  const { client } = await overHttp(ledger);
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  const response = await final(kit, { name: "cut", input: { note: "n" } });
  expect([response.error?.type, ledger.count("cut n")]).toEqual(["InDoubt", 1]);
});
