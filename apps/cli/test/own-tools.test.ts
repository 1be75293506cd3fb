// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in files, as their authors write them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { lastingOf } from "../src/cli/lasting.ts";
import { Session } from "../src/cli/session.ts";
import { addMcpServers } from "../src/modules/add-mcp.ts";
import { loadModule, openModules } from "../src/modules/load-module.ts";
import { readMcpFile } from "../src/modules/mcp-file.ts";
import { wordsFor } from "../src/words/index.ts";
import { ask } from "./support/ask.ts";
import type { Ended } from "./support/child.ts";
import { runCli, runDemo } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-own-tools-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const demo = (...args: string[]): Promise<Ended> =>
  runDemo([...args, "--data-dir", join(folder, "data")], { env: { INIT_CWD: folder } });

const shout = `{
  name: "shout",
  description: "Writes in capitals.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
  execute: ({ text }) => text.toUpperCase(),
}`;
write("shout.mjs", `export const shout = ${shout};\nexport const helper = () => 1;\n`);
write("list.mjs", `export default [${shout.replaceAll("shout", "cry")}];\n`);

/** A server of MCP over standard input and output, by hand: nothing of ours is at its end. */
const server = `
import { createInterface } from "node:readline";
const tools = [
  { name: "add", description: "Adds.", inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } }, annotations: { readOnlyHint: true } },
  { name: "wipe", description: "Says nothing of what it does.", inputSchema: { type: "object" } },
  { name: "burn", description: "Destroys.", inputSchema: { type: "object" }, annotations: { destructiveHint: true } },
  { name: "shout", description: "Another of that name.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];
console.error("a word on standard error");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "by-hand", version: process.env.VERSION ?? "1" } },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: params.name + " " + JSON.stringify(params.arguments) + " " + process.env.TOKEN }] },
    ping: {},
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }) }));
}
`;
write("server.mjs", server);
const servers = (more: object = {}): string =>
  write(
    "mcp.json",
    JSON.stringify({
      mcpServers: {
        hand: {
          command: process.execPath,
          args: ["server.mjs"],
          cwd: ".",
          env: { TOKEN: "${MCP_TOKEN}" },
          autoApprove: ["wipe"],
        },
        gone: { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] },
        off: { disabled: true },
        ...more,
      },
    }),
  );

it("should offer tools of modules and of MCP servers, say where each is from, and ask about what is not said to be harmless", async () => {
  const notes: string[] = [];
  const modules = openModules([await loadModule(join(folder, "shout.mjs"))], folder);
  const session = new Session({ folder, modules });
  onTestFinished(() => session.dispose());
  await addMcpServers(session, [servers()], { env: { MCP_TOKEN: "t-1" }, folder }, (text) => notes.push(text));
  expect(notes).toEqual([
    expect.stringMatching(/^MCP: gone is left out\..*no licence/s),
    'MCP: hand: The tool "shout" was there before: the new one is registered as "shout_1".',
  ]);
  const from = `mcp:hand ${process.execPath} server.mjs`;
  expect([...session.origins]).toEqual([
    ["shout", { from: join(folder, "shout.mjs"), label: "shout.mjs" }],
    ["add", { from, label: "mcp:hand", isUnstated: false }],
    ["wipe", { from, label: "mcp:hand", isUnstated: true }],
    ["burn", { from, label: "mcp:hand", isUnstated: false }],
    ["shout_1", { from, label: "mcp:hand", isUnstated: false }],
  ]);
  const lasts = (tool: string) => lastingOf(session, "native")({ kind: "tool-call", callId: "c", tool, reason: "" });
  expect(["wipe", "burn"].map(lasts)).toEqual(["always", "call"]);
  const asked: string[] = [];
  const calls = [
    ...openAiCall(0, "c1", "add", { a: 1, b: 2 }),
    ...openAiCall(1, "c2", "wipe", {}),
    ...openAiCall(2, "c3", "shout", { text: "hi 灯笼" }),
    openAiFinish("tool_calls"),
  ];
  const { url, requests } = await localProvider([
    { chunks: [sse(calls, { done: true })] },
    { chunks: [sse(openAiText("Done."), { done: true })] },
  ]);
  const { chooseModel } = await import("../src/models/choose-model.ts");
  const model = chooseModel(
    { id: "m", label: "m", server: { baseUrl: `${url}/v1`, key: undefined } },
    { words: wordsFor() },
  );
  const result = await ask(session, "go", {
    ...{ model, protocol: "native" },
    approve: (tool) => asked.push(tool) < 0,
  });
  expect(asked).toEqual(["wipe"]);
  expect(result.results.map(({ status }) => status)).toEqual(["ok", "denied", "ok"]);
  const said = JSON.stringify(requests[1]?.body.messages);
  expect(said).toContain("t-1");
  expect(said).toContain("HI 灯笼");
});

it("should take them from the configuration, and call them by hand", async () => {
  mkdirSync(join(folder, "toolglot"), { recursive: true });
  write("toolglot/config.json", JSON.stringify({ tools: ["../list.mjs"] }));
  const env = { INIT_CWD: folder, XDG_CONFIG_HOME: folder };
  const run = (...args: string[]): Promise<Ended> => runCli([...args, "--data-dir", join(folder, "data")], { env });
  const list = await run("tools", "list");
  expect(list.stdout).toBe(`cry(text) · reads only, list.mjs\n  Writes in capitals.\n`);
  expect((await run("tools", "call", "cry", '{"text": "a"}')).stdout).toBe('"A"\n');
  expect((await run("tools", "list", "--tools", "shout.mjs")).stdout).toContain("shout(text)");
  expect((await run("--protocol", "native", "--show-prompt")).stdout).toContain('"cry"');
});

it.each([
  [["--tools", "nowhere.mjs"], "nowhere.mjs can't be loaded"],
  [["--tools", "empty.mjs"], "empty.mjs exports no tools"],
  [["--tools", "clash.mjs"], "clash.mjs: "],
  [
    ["--tools", "shout.mjs", "--protocol", "trp", "--router", "http://127.0.0.1:1"],
    "At a running router the tools are the router's",
  ],
  [["--mcp", "empty.mjs"], "empty.mjs can't be read"],
  [["--mcp", "none.json"], 'none.json has no "mcpServers"'],
  [["--mcp", "var.json"], "mcpServers.a: args[0] needs the variable NO_SUCH_VARIABLE"],
])("should refuse %j", async (args, message) => {
  write("empty.mjs", "export const x = 1;\n");
  write("clash.mjs", `export default ${shout.replace('"shout"', '"query_sql"')};\n`);
  write("none.json", "{}");
  write("var.json", JSON.stringify({ mcpServers: { a: { command: "x", args: ["${NO_SUCH_VARIABLE}"] } } }));
  const { code, stderr } = await demo(...args, "show order 1042");
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("should read servers as other programs have them", () => {
  const file = write(
    "many.json",
    JSON.stringify({
      mcpServers: {
        web: { type: "http", url: "https://${HOST:-example.com}/mcp", headers: { Authorization: "Bearer ${env:KEY}" } },
        run: { command: "npx", args: ["-y", "server", "${KEY}"], timeout: 60 },
      },
    }),
  );
  expect(readMcpFile(file, { env: { KEY: "k" }, folder: "/start" })).toEqual([
    {
      name: "web",
      shown: "https://${HOST:-example.com}/mcp",
      transport: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer k" } },
    },
    {
      name: "run",
      // A key is not shown.
      shown: "npx -y server ${KEY}",
      transport: {
        type: "stdio",
        command: "npx",
        args: ["-y", "server", "k"],
        env: {},
        cwd: "/start",
      },
    },
  ]);
  const bad = (one: unknown) => {
    const path = write("bad.json", JSON.stringify({ mcpServers: { a: one } }));
    return () => readMcpFile(path, { env: {}, folder });
  };
  expect(bad({})).toThrow("mcpServers.a: needs a command, or a url.");
  expect(bad({ command: "x", args: "y" })).toThrow("args must be a list of texts");
  expect(bad({ url: "file:///x" })).toThrow("must begin with http:// or https://");
  expect(bad(1)).toThrow("mcpServers.a is no object");
});
