// Where the toolkit does other than AgentScope's, because that one hurts: its MCP clients; and each point that was open.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentText, ToolError } from "@toolglot/core";
import { describe, expect, it, vi } from "vitest";
import { type McpListedTool, type McpToolsChange, Toolkit, ToolResponse, traceToolkit } from "../../src/index.ts";
import { readAgentSkill } from "../../src/node/index.ts";
import { collect, final, kitWith, sleep, texts } from "../support.ts";
import { echo, fakeMcp } from "./fake-mcp.ts";

const code = (name: string) => expect.objectContaining({ code: `toolkit/${name}` });
const listed = (kit: Toolkit): string[] => kit.getJsonSchemas().map((schema) => schema.function.name);

describe("MCP", () => {
  // How clients reconnect, and what they call again, is in test/mcp.
  const defs: McpListedTool = {
    name: "deep",
    description: "d",
    inputSchema: {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, one: { oneOf: [{ type: "string" }, { type: "number" }] } },
      $defs: { a: { type: "string" } },
    },
  };

  it("▲ registration is all or nothing", async () => {
    const kit = kitWith(() => 1, { name: "deep" });
    await expect(kit.registerMcpClient(fakeMcp([echo, defs], () => ({})))).rejects.toThrow(code("name-clash"));
    expect([...kit.registered.keys()]).toEqual(["deep"]);
  });

  it("▲ the full schema is kept: $defs, oneOf", async () => {
    const kit = new Toolkit();
    await kit.registerMcpClient(fakeMcp([defs], () => ({})));
    expect(kit.definitions()[0]?.inputSchema).toMatchObject(defs.inputSchema);
  });

  it("▲ isError is the status error", async () => {
    const kit = new Toolkit();
    await kit.registerMcpClient(fakeMcp([echo], () => ({ isError: true, content: [{ type: "text", text: "bad" }] })));
    expect(await final(kit, { name: "echo", input: { text: "x" } })).toMatchObject({
      status: "error",
      error: { message: "bad" },
    });
  });

  it("▲ names in the lists that the server does not have are warned of", async () => {
    const kit = new Toolkit();
    const warnings = await kit.registerMcpClient(
      fakeMcp([echo], () => ({})),
      { enableTools: ["echo", "ecko"] },
    );
    expect(warnings).toEqual([expect.stringContaining("ecko")]);
  });

  it("a changed list registers anew", async () => {
    const kit = new Toolkit();
    const client = fakeMcp([echo], () => ({}));
    const changes: McpToolsChange[] = [];
    await kit.registerMcpClient(client, { onToolsChanged: (change) => changes.push(change) });
    client.change([defs]);
    await vi.waitFor(() => expect(changes).toHaveLength(1));
    expect(listed(kit)).toEqual(["deep"]);
  });

  it("blocks of all kinds, and structured content, become blocks and data", async () => {
    const kit = new Toolkit();
    const content = [
      { type: "text" as const, text: "t" },
      { type: "image" as const, data: "AA==", mimeType: "image/png" },
      { type: "audio" as const, data: "AA==", mimeType: "audio/wav" },
      { type: "resource_link" as const, uri: "a:b" },
      { type: "resource" as const, resource: { uri: "c:d", text: "x" } },
    ];
    await kit.registerMcpClient(fakeMcp([echo], () => ({ content, structuredContent: { n: 1 } })));
    const response = await final(kit, { name: "echo", input: { text: "x" } });
    expect(response.content.map((block) => block.type)).toEqual(["text", "image", "audio", "resource", "resource"]);
    expect(response.data).toEqual({ n: 1 });
  });
});

describe("points settled", () => {
  it("a single value is one chunk with isLast", async () => {
    expect((await collect(kitWith(() => "x"))).map(({ isLast }) => isLast)).toEqual([true]);
  });

  it("a generator's chunks come as they come, then one extra with the whole, which is not post-processed again", async () => {
    const seen: string[] = [];
    const kit = kitWith(
      async function* () {
        yield "a";
        await sleep(1);
        yield "ab";
      },
      { postprocess: (_call, { content }) => void seen.push(contentText(content)) },
    );
    expect(texts(await collect(kit))).toEqual(["a", "ab", "ab"]);
    expect(seen).toEqual(["a", "ab"]);
  });

  it("incremental chunks are concatenated in the final one", async () => {
    const stream = function* () {
      yield "a";
      yield "b";
    };
    expect(texts(await collect(kitWith(stream, { chunks: "incremental" })))).toEqual(["a", "b", "ab"]);
  });

  it("the meta tool comes with the first group, or by enableMetaTool, and metaTool: false prevents it", () => {
    const auto = new Toolkit();
    expect(listed(auto)).toEqual([]);
    auto.createToolGroup("g", { description: "d" });
    expect(listed(auto)).toEqual(["reset_equipped_tools"]);
    const off = new Toolkit({ metaTool: false });
    off.createToolGroup("g", { description: "d" });
    expect(listed(off)).toEqual([]);
    off.enableMetaTool();
    expect(listed(off)).toEqual(["reset_equipped_tools"]);
  });

  it("what is reported stands in responses and return values, never on the console", async () => {
    const spies = (["log", "warn", "error", "info"] as const).map((method) => vi.spyOn(console, method));
    const kit = kitWith(() => 1, { presets: { key: 1 } });
    kit.updateToolGroups(["nope"], true);
    kit.loadState({ activeGroups: ["nope"] }, { strict: false });
    await final(kit, { input: { key: 2 } });
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it("loadState is strict by default", () => {
    expect(() => new Toolkit().loadState({ activeGroups: ["nope"] })).toThrow(code("unknown-group"));
  });

  it("tracing is an option of the toolkit, and traceToolkit middleware like any", async () => {
    for (const tracing of [true, { recordInputs: true }] as const) {
      const kit = new Toolkit({ tracing });
      kit.registerToolFunction(() => "x", { name: "t", description: "d" });
      expect((await final(kit)).status).toBe("ok");
    }
    const kit = kitWith(() => "x");
    kit.registerMiddleware(traceToolkit());
    expect((await final(kit)).status).toBe("ok");
  });

  it("skills are folders with a SKILL.md, told of in the prompt", async () => {
    const dir = await mkdtemp(join(tmpdir(), "toolkit-skill-"));
    await mkdir(join(dir, "pdf"));
    await writeFile(join(dir, "pdf/SKILL.md"), "---\nname: pdf\ndescription: Reads PDFs.\n---\nText.");
    const kit = new Toolkit();
    kit.registerAgentSkill(await readAgentSkill(join(dir, "pdf")));
    expect(kit.getAgentSkillPrompt()).toMatch(/pdf[\s\S]*Reads PDFs\.[\s\S]*SKILL\.md/);
    await expect(readAgentSkill(dir)).rejects.toThrow(TypeError);
    kit.removeAgentSkill("pdf");
    expect(kit.getAgentSkillPrompt()).toBeUndefined();
    await rm(dir, { recursive: true });
  });

  it("removeMcpClients (remove_mcp_servers, too) reports names that are none", async () => {
    const kit = new Toolkit();
    await kit.registerMcpClient(fakeMcp([echo], () => ({})));
    expect(await kit.removeMcpClients(["server", "none"])).toEqual([expect.stringContaining("none")]);
    expect(await kit.removeMcpClients(["server"])).toHaveLength(1);
    expect(kit.registered.size).toBe(0);
  });

  it("saveState holds active groups; with registrations, names and options, without functions and presets' values", () => {
    const kit = kitWith(() => 1, { presets: { key: "secret" }, timeoutMs: 5 });
    expect(kit.saveState()).toEqual({ activeGroups: [] });
    const { registrations } = kit.saveState({ registrations: true });
    expect(registrations).toMatchObject([{ name: "t", presetNames: ["key"], timeoutMs: 5 }]);
    expect(JSON.stringify(registrations)).not.toContain("secret");
  });

  it("clear makes the toolkit as it was when it was new", async () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d" });
    kit.removeToolFunction("reset_equipped_tools");
    kit.registerToolFunction(() => 1, { name: "t", description: "d" });
    kit.setExtendedModel("t", { a: "string" });
    kit.registerMiddleware(async function* () {
      yield new ToolResponse({ content: "middleware" });
    });
    kit.registerAgentSkill({ name: "s", description: "d", dir: "/s" });
    kit.clear();
    expect([kit.registered.size, [...kit.groups.keys()], kit.getAgentSkillPrompt()]).toEqual([0, ["basic"], undefined]);
    kit.registerToolFunction(() => "new", { name: "t", description: "d" });
    expect((await final(kit)).data).toBe("new");
    kit.createToolGroup("g", { description: "d" });
    expect(listed(kit)).toEqual(["t", "reset_equipped_tools"]);
  });

  it("a ToolError reaches the model word for word; other errors without the host's paths", async () => {
    const throwing = (error: Error) => kitWith(() => Promise.reject(error));
    const told = await final(throwing(new ToolError("Ask for /home/me/x", { data: { hint: "do" } })));
    expect(told.error).toMatchObject({ message: "Ask for /home/me/x", hint: "do" });
    expect((await final(throwing(new Error("no /home/me/x")))).error?.message).not.toContain("/home/me");
  });
});
