import { writeFileSync } from "node:fs";
import { contentText } from "@toolglot/core";
import { expect, it } from "vitest";
import { type McpToolsChange, Toolkit } from "../../src/index.ts";
import { final, sleep } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";
import { clientOf, httpServer, makeLedger, stdioClient, until } from "./support.ts";

/** A toolkit, and what it told of changes. */
function watched(): { kit: Toolkit; changes: McpToolsChange[]; onToolsChanged: (change: McpToolsChange) => void } {
  const changes: McpToolsChange[] = [];
  return { kit: new Toolkit(), changes, onToolsChanged: (change) => changes.push(change) };
}

it("a server that changes its list: added, removed and changed tools, with the options of the registration", async () => {
  const { kit, changes, onToolsChanged } = watched();
  kit.createToolGroup("remote", { description: "Remote.", active: true });
  await kit.registerMcpClient(stdioClient(), {
    groupName: "remote",
    timeoutMs: 5000,
    presetsByTool: { set: { die: "never" } },
    onToolsChanged,
  });
  const names = [...kit.registered.keys()];
  expect(names).toContain("look");
  expect(await final(kit, { name: "grow" })).toMatchObject({ status: "ok" });
  await until(() => changes.length > 0);
  expect(changes).toEqual([
    {
      client: "unruly",
      added: ["extra"],
      removed: ["look"],
      changed: ["set"],
      warnings: [expect.stringMatching(/MCP task/)],
    },
  ]);
  expect([...kit.registered.keys()]).toEqual([...names.filter((name) => name !== "look"), "extra"]);
  expect(kit.registered.get("extra")).toMatchObject({ groupName: "remote", timeoutMs: 5000 });
  const set = kit.registered.get("set");
  expect(set).toMatchObject({ groupName: "remote", timeoutMs: 5000, presets: { die: "never" } });
  expect(set?.definition.description).toBe("Sets, as of late.");
  expect(contentText((await final(kit, { name: "extra" })).content)).toBe("extra");
  expect(await final(kit, { name: "look", input: { note: "n" } })).toMatchObject({ error: { type: "UnknownTool" } });
  await kit.removeMcpClients(["unruly"]);
  expect([...kit.registered.keys()]).toEqual(["reset_equipped_tools"]);
});

it("over HTTP, by the stream that stands open for it", async () => {
  const { kit, changes, onToolsChanged } = watched();
  const server = await httpServer();
  const client = clientOf({ name: "unruly", transport: { type: "http", url: server.url } });
  await kit.registerMcpClient(client, { onToolsChanged });
  await final(kit, { name: "grow" });
  await until(() => changes.length > 0);
  expect(changes[0]).toMatchObject({ added: ["extra"], removed: ["look"], changed: ["set"] });
});

it("what changed while the server was gone is found when it is connected again", async () => {
  const { kit, changes, onToolsChanged } = watched();
  const ledger = makeLedger();
  const client = stdioClient({ LEDGER: ledger.path });
  await kit.registerMcpClient(client, { onToolsChanged });
  process.kill(Number(contentText((await final(kit, { name: "pid" })).content)), "SIGKILL");
  await until(() => !client.connected);
  writeFileSync(`${ledger.path}.grown`, "");
  await final(kit, { name: "append", input: { note: "n" } });
  await until(() => kit.registered.has("extra"));
  expect(changes).toMatchObject([{ added: ["extra"], removed: ["look"], changed: ["set"] }]);
});

it("enabled and disabled names hold for what comes later", async () => {
  const only = watched();
  const server = inProcess([listed("a")]);
  await only.kit.registerMcpClient(server.client, { enableTools: ["a", "later"], onToolsChanged: only.onToolsChanged });
  server.tools.push(listed("other"), listed("later"));
  await server.tell();
  await until(() => only.kit.registered.size === 2);
  expect([...only.kit.registered.keys()]).toEqual(["a", "later"]);
});

it("what the host took away or replaced stays so", async () => {
  const { kit, changes, onToolsChanged } = watched();
  const server = inProcess([listed("a"), listed("b"), listed("c")]);
  await kit.registerMcpClient(server.client, { onToolsChanged });
  kit.removeToolFunction("a");
  kit.registerToolFunction(() => "mine", { name: "b", description: "My b.", namesakeStrategy: "override" });
  server.tools = [listed("a", { description: "New a." }), listed("c", { description: "New c." })];
  await server.tell();
  await until(() => changes.length > 0);
  expect(changes).toMatchObject([{ added: [], removed: [], changed: ["c"], warnings: [] }]);
  expect([...kit.registered.keys()]).toEqual(["b", "c"]);
  expect(kit.registered.get("b")?.definition.description).toBe("My b.");
});

it("a clash or a bad schema among the new ones is told, and harms no other", async () => {
  const { kit, changes, onToolsChanged } = watched();
  kit.registerToolFunction(() => "mine", { name: "mine", description: "Mine." });
  const server = inProcess([listed("a")]);
  await kit.registerMcpClient(server.client, { onToolsChanged });
  const bad = listed("bad", { inputSchema: { type: "object", $ref: "#/$defs/nowhere" } });
  server.tools.push(bad, listed("mine"), listed("good"));
  await server.tell();
  await until(() => changes.length > 0);
  expect(changes[0]?.added).toEqual(["good"]);
  expect(changes[0]?.warnings).toEqual([expect.stringContaining('"bad"'), expect.stringContaining('"mine"')]);
  expect([...kit.registered.keys()]).toEqual(["mine", "a", "good"]);
});

it("many changes at once end in the last list", async () => {
  const { kit, onToolsChanged } = watched();
  const server = inProcess([listed("t0")]);
  await kit.registerMcpClient(server.client, { onToolsChanged });
  for (let n = 1; n <= 20; n++) {
    server.tools = [listed(`t${n}`)];
    void server.tell();
    if (n % 7 === 0) await sleep(1);
  }
  await until(() => kit.registered.has("t20"));
  expect([...kit.registered.keys()]).toEqual(["t20"]);
});

it("a renamed tool keeps its name when it changes", async () => {
  const { kit, changes, onToolsChanged } = watched();
  kit.registerToolFunction(() => "mine", { name: "a", description: "Mine." });
  const server = inProcess([listed("a")]);
  await kit.registerMcpClient(server.client, { namesakeStrategy: "rename", onToolsChanged });
  server.tools = [listed("a", { description: "New." })];
  await server.tell();
  await until(() => changes.length > 0);
  expect(changes).toMatchObject([{ changed: ["a_1"], warnings: [] }]);
  expect([...kit.registered].map(([name, { definition }]) => [name, definition.description])).toEqual([
    ["a", "Mine."],
    ["a_1", "New."],
  ]);
});

it("a list that can't be had any more is told, and the tools stay", async () => {
  const { kit, changes, onToolsChanged } = watched();
  const server = inProcess([listed("a")]);
  await kit.registerMcpClient(server.client, { onToolsChanged });
  server.tools = "none" as never;
  await server.tell();
  await until(() => changes.length > 0);
  expect(changes).toMatchObject([{ added: [], removed: [], warnings: [expect.stringContaining("can't be listed")] }]);
  expect([...kit.registered.keys()]).toEqual(["a"]);
});
