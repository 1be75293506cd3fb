import { contentText } from "@toolglot/core";
import { expect, it } from "vitest";
import { Toolkit, ToolkitError, type ToolResponse } from "../../src/index.ts";
import { final, sleep, texts } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";
import { until } from "./support.ts";

const abc = (): ReturnType<typeof listed>[] => [listed("a"), listed("b"), listed("c")];

function kitWithB(): Toolkit {
  const kit = new Toolkit();
  kit.registerToolFunction(() => "mine", { name: "b", description: "My own b." });
  return kit;
}

it("registers all tools of a server", async () => {
  const kit = new Toolkit();
  const server = inProcess(abc());
  expect(await kit.registerMcpClient(server.client)).toEqual([]);
  expect([...kit.registered.keys()]).toEqual(["a", "b", "c"]);
  expect(texts([await final(kit, { name: "b" })])).toEqual(["b"]);
  expect(server.called).toEqual(["b"]);
});

it("leaves nothing behind when a name clashes half-way", async () => {
  const kit = kitWithB();
  const server = inProcess(abc());
  await expect(kit.registerMcpClient(server.client)).rejects.toMatchObject({
    code: "toolkit/name-clash",
    data: { name: "b" },
  });
  expect([...kit.registered.keys()]).toEqual(["b"]);
  expect(texts([await final(kit, { name: "b" })])).toEqual(["mine"]);
  await until(() => server.open() === 0);
  // Nor does it follow the list.
  server.tools.push(listed("d"));
  await server.tell();
  expect([...kit.registered.keys()]).toEqual(["b"]);
  expect(await kit.removeMcpClients(["here"])).toEqual(['There is no MCP client "here".']);
});

it("leaves out what can't be used, each with its reason, and registers the others", async () => {
  const kit = new Toolkit();
  const bad = [
    listed("nowhere", { inputSchema: { type: "object", $ref: "#/$defs/nowhere" } }),
    listed("outside", { inputSchema: { type: "object", $ref: "https://example.com/schema.json" } }),
    listed("text", { inputSchema: { type: "string" } as never }),
    listed("wrong", { annotations: { readOnlyHint: "yes" } as never }),
    listed("task", { execution: { taskSupport: "required" } }),
    listed("a", { description: "Another." }),
    { inputSchema: { type: "object" } } as never,
    listed(""),
    5 as never,
  ];
  const { client } = inProcess([listed("a"), ...bad, listed("b")]);
  const left = (name: string, why: string): string =>
    `The tool "${name}" of the MCP server "here" is left out: ${why}.`;
  expect(await kit.registerMcpClient(client)).toEqual([
    left("text", 'its description can\'t be read (inputSchema.type: Invalid input: expected "object")'),
    // An odd hint costs the hint, not the tool.
    'The tool "wrong" of the MCP server "here" has a field that can\'t be read: annotations.readOnlyHint: Invalid input: expected boolean, received string.',
    left("task", "it can only be called as an MCP task"),
    'The tool "a" of the MCP server "here" is listed twice: the first stands.',
    left("number 8", "it has no name"),
    left("number 9", "it has no name"),
    left("number 10", "it has no name"),
    left("nowhere", 'Tool "nowhere": the input schema: $ref "#/$defs/nowhere" at the root leads nowhere'),
    expect.stringMatching(/^The tool "outside" of the MCP server "here" is left out: .*https:\/\/example\.com/),
  ]);
  expect([...kit.registered.keys()]).toEqual(["a", "wrong", "b"]);
  expect(kit.registered.get("wrong")?.definition.annotations?.readOnlyHint).toBeUndefined();
  expect(kit.registered.get("a")?.definition.description).toBe("Tool a.");
});

it("registers names that not everybody takes as others, and calls them as the server knows them", async () => {
  const kit = new Toolkit();
  const names = ["天气", "温度", "admin.users", "x".repeat(80), "a b"];
  const server = inProcess(names.map((name) => listed(name)));
  const warnings = await kit.registerMcpClient(server.client, { presetsByTool: { "a b": {} } });
  const registered = [...kit.registered.keys()];
  expect(registered).toHaveLength(5);
  for (const [index, name] of registered.entries()) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(kit.registered.get(name)?.originalName).toBe(names[index]);
    expect(warnings[index]).toBe(
      `The tool ${JSON.stringify(names[index])} of the MCP server "here" is registered as "${name}".`,
    );
    expect(await final(kit, { name })).toMatchObject({ status: "ok" });
  }
  expect(server.called).toEqual(names);
  // The same names in every process.
  expect(registered[2]).toBe(`admin_users_${registered[2]?.slice(-6)}`);
  const again = new Toolkit();
  await again.registerMcpClient(inProcess(names.map((name) => listed(name))).client);
  expect([...again.registered.keys()]).toEqual(registered);
});

it("gives back tools that were replaced before it failed", async () => {
  const kit = kitWithB();
  kit.registerToolFunction(() => "mine", { name: "c", description: "My own c." });
  const before = [...kit.registered];
  const { client } = inProcess([listed("b"), listed("c")]);
  const mistake = { namesakeStrategy: "override", postprocess: 5 as never } as const;
  await expect(kit.registerMcpClient(client, mistake)).rejects.toThrow(TypeError);
  expect([...kit.registered]).toEqual(before);
});

it("settles clashes as told: override, skip, rename", async () => {
  const replaced = kitWithB();
  expect(await replaced.registerMcpClient(inProcess(abc()).client, { namesakeStrategy: "override" })).toHaveLength(1);
  expect(texts([await final(replaced, { name: "b" })])).toEqual(["b"]);

  const skipped = kitWithB();
  expect(await skipped.registerMcpClient(inProcess(abc()).client, { namesakeStrategy: "skip" })).toHaveLength(1);
  expect([...skipped.registered.keys()]).toEqual(["b", "a", "c"]);
  expect(texts([await final(skipped, { name: "b" })])).toEqual(["mine"]);
  await skipped.removeMcpClients(["here"]);
  expect([...skipped.registered.keys()]).toEqual(["b"]);

  const renamed = kitWithB();
  const server = inProcess(abc());
  expect(await renamed.registerMcpClient(server.client, { namesakeStrategy: "rename" })).toHaveLength(1);
  expect([...renamed.registered.keys()]).toEqual(["b", "a", "b_1", "c"]);
  expect(texts([await final(renamed, { name: "b_1" })])).toEqual(["b"]);
  expect(renamed.registered.get("b_1")?.originalName).toBe("b");
  await renamed.removeMcpClients(["here"]);
  expect([...renamed.registered.keys()]).toEqual(["b"]);
});

it("enableTools and disableTools; names that don't exist are warned of", async () => {
  const some = new Toolkit();
  const warnings = await some.registerMcpClient(inProcess(abc()).client, {
    enableTools: ["a", "z"],
    presetsByTool: { y: { n: 1 } },
  });
  expect(warnings).toEqual([
    'enableTools: the MCP server "here" has no tool "z".',
    'presetsByTool: the MCP server "here" has no tool "y".',
  ]);
  expect([...some.registered.keys()]).toEqual(["a"]);

  const most = new Toolkit();
  expect(await most.registerMcpClient(inProcess(abc()).client, { disableTools: ["a", "x"] })).toEqual([
    'disableTools: the MCP server "here" has no tool "x".',
  ]);
  expect([...most.registered.keys()]).toEqual(["b", "c"]);

  const none = new Toolkit();
  await none.registerMcpClient(inProcess(abc()).client, { enableTools: [] });
  expect(none.registered.size).toBe(0);
});

it("keeps the whole schema: $defs, oneOf, and validates by it", async () => {
  const inputSchema = {
    type: "object" as const,
    $defs: { point: { type: "object" as const, properties: { x: { type: "number" as const } }, required: ["x"] } },
    properties: { at: { oneOf: [{ $ref: "#/$defs/point" }, { type: "string" as const }] } },
    required: ["at"],
  };
  const server = inProcess([listed("draw", { inputSchema })]);
  const kit = new Toolkit();
  await kit.registerMcpClient(server.client);
  expect(kit.getJsonSchemas()[0]?.function.parameters).toEqual(inputSchema);
  expect(await final(kit, { name: "draw", input: { at: { x: 1 } } })).toMatchObject({ status: "ok" });
  expect(await final(kit, { name: "draw", input: { at: { y: 1 } } })).toMatchObject({
    error: { type: "InvalidInput" },
  });
  expect(server.called).toEqual(["draw"]);
});

it("presets, group, timeout and post-processing are those of the options", async () => {
  const inputSchema = {
    type: "object" as const,
    properties: { token: { type: "string" as const }, id: { type: "number" as const } },
    required: ["token", "id"],
  };
  const inputs: unknown[] = [];
  const { client } = inProcess([listed("del", { inputSchema })], {
    answer: (_, input) => {
      inputs.push(input);
      return { content: [{ type: "text", text: "gone" }] };
    },
  });
  const kit = new Toolkit();
  kit.createToolGroup("remote", { description: "Remote tools.", active: true });
  await kit.registerMcpClient(client, {
    groupName: "remote",
    presetsByTool: { del: { token: "secret" } },
    timeoutMs: 4000,
    postprocess: (call, response): ToolResponse => response.with({ metadata: { seen: call.name } }),
  });
  const tool = kit.registered.get("del");
  expect(tool).toMatchObject({ groupName: "remote", timeoutMs: 4000 });
  expect(tool?.definition.inputSchema).toMatchObject({ properties: { id: {} }, required: ["id"] });
  const response = await final(kit, { name: "del", input: { id: 1, token: "stolen" } });
  expect(response.metadata).toMatchObject({ seen: "del", warnings: [expect.stringContaining("preset")] });
  expect(inputs).toEqual([{ id: 1, token: "secret" }]);
  kit.updateToolGroups(["remote"], false);
  expect(await final(kit, { name: "del", input: { id: 1 } })).toMatchObject({ error: { type: "InactiveTool" } });
});

it("hints are taken over as stated, and no others", async () => {
  const annotations = { title: "Look", readOnlyHint: true, openWorldHint: false };
  const kit = new Toolkit();
  await kit.registerMcpClient(inProcess([listed("look", { annotations }), listed("do")]).client);
  expect(kit.registered.get("look")?.definition.annotations).toEqual(annotations);
  expect(kit.registered.get("do")?.definition.annotations).toBeUndefined();
});

it("works on another JSON Schema engine, and for programs", async () => {
  const kit = new Toolkit();
  const answer = (): unknown => ({ content: [{ type: "text", text: "{}" }], structuredContent: { n: 1 } });
  await kit.registerMcpClient(inProcess([listed("a")], { answer }).client);
  const [tool] = kit.tools();
  expect(await tool?.execute({}, { signal: new AbortController().signal, callId: "1" })).toEqual({ n: 1 });
});

it("removes the tools of a client and closes it", async () => {
  const kit = kitWithB();
  const server = inProcess([listed("a"), listed("c")]);
  await kit.registerMcpClient(server.client);
  expect(server.open()).toBe(1);
  expect(await kit.removeMcpClients(["here", "there"])).toEqual(['There is no MCP client "there".']);
  expect([...kit.registered.keys()]).toEqual(["b"]);
  expect(server.open()).toBe(0);
  await expect(server.client.listTools()).rejects.toMatchObject({ code: "toolkit/mcp-connection" });
  // It can be registered again, which opens it again.
  await kit.registerMcpClient(server.client);
  expect([...kit.registered.keys()]).toEqual(["b", "a", "c"]);
});

it("leaves alone what the host put in place of a server's tool", async () => {
  const kit = new Toolkit();
  const server = inProcess(abc());
  await kit.registerMcpClient(server.client);
  kit.registerToolFunction(() => "mine", { name: "b", description: "My b.", namesakeStrategy: "override" });
  kit.setExtendedModel("c", { type: "object", properties: { sum: { type: "number" } } });
  await kit.removeMcpClients(["here"]);
  expect([...kit.registered.keys()]).toEqual(["b"]);
  expect(() => kit.setExtendedModel("c", null)).toThrow(ToolkitError);
});

it("closes everything with the toolkit", async () => {
  const one = inProcess([listed("a")], { name: "one" });
  const two = inProcess([listed("b")], { name: "two" });
  const kit = new Toolkit();
  await kit.registerMcpClient(one.client);
  await kit.registerMcpClient(two.client);
  // The tools go, and the clients wait for close.
  kit.clear();
  expect([one.open(), two.open()]).toEqual([1, 1]);
  one.tools.push(listed("c"));
  await one.tell();
  await sleep(20);
  expect(kit.registered.size).toBe(0);
  expect(one.listings()).toBe(1);
  await kit.close();
  expect([one.open(), two.open()]).toEqual([0, 0]);
});

it("one client may be registered in parts; two clients need two names", async () => {
  const kit = new Toolkit();
  kit.createToolGroup("rest", { description: "The rest." });
  const server = inProcess(abc());
  await kit.registerMcpClient(server.client, { enableTools: ["a"] });
  await kit.registerMcpClient(server.client, { disableTools: ["a"], groupName: "rest" });
  expect([...kit.registered.values()].map(({ name, groupName }) => [name, groupName])).toEqual(
    expect.arrayContaining([
      ["a", "basic"],
      ["b", "rest"],
      ["c", "rest"],
    ]),
  );
  const other = inProcess([listed("z")]);
  await expect(kit.registerMcpClient(other.client)).rejects.toMatchObject({ code: "toolkit/name-clash" });
  expect(other.open()).toBe(0);
  await kit.removeMcpClients(["here"]);
  expect([...kit.registered.keys()]).toEqual(["reset_equipped_tools"]);
});

it("tells mistakes of the caller at once", async () => {
  const kit = new Toolkit();
  const server = inProcess(abc());
  const { client } = server;
  const fails = async (given: unknown, options: unknown, pattern: RegExp): Promise<void> => {
    await expect(kit.registerMcpClient(given as never, options as never)).rejects.toThrow(pattern);
  };
  await fails({ name: "x" }, {}, /createMcpClient/);
  await fails(undefined, {}, /createMcpClient/);
  await fails(client, { enableTools: ["a", "b"], disableTools: ["b"] }, /b stand in enableTools and in disableTools/);
  await fails(client, { enableTools: "a" }, /enableTools must be an array/);
  await fails(client, { timeoutMs: 0 }, /timeoutMs must be milliseconds/);
  await fails(client, { presetsByTool: "x" }, /presetsByTool must be an object/);
  await fails(client, { groupName: "none" }, /There is no group "none"/);
  await expect(kit.removeMcpClients("here" as never)).rejects.toThrow(TypeError);
  expect(server.listings()).toBe(0);
});

it("lists all pages", async () => {
  const many = Array.from({ length: 250 }, (_, n) => listed(`t${n}`));
  const kit = new Toolkit();
  const server = inProcess(many);
  await kit.registerMcpClient(server.client);
  expect(server.listings()).toBe(3);
  expect(kit.registered.size).toBe(250);
  expect(contentText((await final(kit, { name: "t249" })).content)).toBe("t249");
});
