// The AgentScope description of its tool module, section 1: what it is for and how it works.
import { contentText } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AnyToolFunction,
  defineTool,
  makeSubagentTool,
  Toolkit,
  ToolResponse,
  toOpenAiTools,
} from "../../src/index.ts";
import { collect, final, kitWith, lastOf, texts } from "../support.ts";
import { echo, fakeMcp } from "./fake-mcp.ts";

const names = (kit: Toolkit): string[] => kit.getJsonSchemas().map((schema) => schema.function.name);

describe("1.1 design", () => {
  it.each<[string, AnyToolFunction]>([
    ["a synchronous function", () => "ab"],
    ["an asynchronous function", async () => "ab"],
    [
      "a generator",
      function* () {
        yield "a";
        yield "ab";
      },
    ],
    [
      "an asynchronous generator",
      async function* () {
        yield "a";
        yield "ab";
      },
    ],
    [
      "an asynchronous function that returns a generator",
      async () =>
        (function* () {
          yield "ab";
        })(),
    ],
  ])("1.1: %s is registered and called in one way, and gives ToolResponses", async (_kind, fn) => {
    const responses = await collect(kitWith(fn));
    for (const response of responses) expect(response).toBeInstanceOf(ToolResponse);
    expect(contentText(lastOf(responses).content)).toBe("ab");
  });

  it("1.1: a remote MCP tool too", async () => {
    const kit = new Toolkit();
    const client = fakeMcp([echo], (_name, { text }) => ({ content: [{ type: "text", text: String(text) }] }));
    await kit.registerMcpClient(client);
    const response = await final(kit, { name: "echo", input: { text: "ab" } });
    expect(response).toBeInstanceOf(ToolResponse);
    expect(contentText(response.content)).toBe("ab");
  });

  it("1.1: description and execution are apart: a schema is made at registration, content and metadata at the call", async () => {
    let runs = 0;
    const kit = kitWith(() => {
      runs += 1;
      return new ToolResponse({ content: "done", metadata: { source: "host" } });
    });
    expect(kit.getJsonSchemas()[0]?.function.parameters).toMatchObject({ type: "object" });
    expect(runs).toBe(0);
    const response = await final(kit);
    expect([contentText(response.content), response.metadata]).toEqual(["done", { source: "host" }]);
  });

  it("1.1: post-processing, presets and the extended model work together on one tool", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(({ text, by }: { text: string; by: string }) => `${text} (${by})`, {
      name: "finish",
      description: "d",
      args: { text: "string", by: "string" },
      presets: { by: "me" },
      postprocess: (_call, response) => response.with({ content: `${contentText(response.content)}!` }),
    });
    kit.setExtendedModel("finish", z.object({ score: z.number() }));
    const response = await final(kit, { name: "finish", input: { text: "hi", score: "7" } });
    expect(response.metadata).toMatchObject({ response_msg: "hi (me)!", structured_output: { score: 7 } });
  });
});

describe("1.2 architecture", () => {
  it("1.2: function → registered function → toolkit → group; schemas → agent; call → toolkit → responses → agent", async () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d", active: true });
    kit.registerToolFunction(() => "x", { name: "f", description: "d", groupName: "g" });
    expect(kit.registered.get("f")).toMatchObject({ name: "f", groupName: "g" });
    expect(kit.groups.get("g")).toMatchObject({ active: true });
    expect(names(kit)).toContain("f");
    expect((await final(kit, { name: "f" })).status).toBe("ok");
  });
});

describe("1.3 registration", () => {
  it("1.3: a name, a description and an input model give the JSON Schema of the tool", () => {
    const kit = new Toolkit();
    const input = z.object({ city: z.string().describe("City name"), days: z.number().default(1) });
    kit.registerToolFunction(defineTool({ name: "weather", description: "Weather.", input, execute: () => 1 }));
    expect(kit.getJsonSchemas()).toMatchObject([
      {
        type: "function",
        function: {
          name: "weather",
          description: "Weather.",
          parameters: {
            properties: { city: { type: "string", description: "City name" }, days: { type: "number", default: 1 } },
            required: ["city"],
          },
        },
      },
    ]);
  });

  it("1.3: presets are what a partial application is: hidden from the schema, passed to the function", async () => {
    const add = ({ a, b }: { a: number; b: number }): number => a + b;
    const kit = new Toolkit();
    const options = { description: "d", args: { a: "number", b: "number" } } as const;
    kit.registerToolFunction(add, { ...options, name: "addTen", presets: { a: 10 } });
    kit.registerToolFunction((input: { b: number }) => add({ ...input, a: 20 }), {
      name: "addTwenty",
      description: "d",
      args: { b: "number" },
    });
    for (const schema of kit.getJsonSchemas())
      expect(Object.keys(schema.function.parameters.properties as object)).toEqual(["b"]);
    expect((await final(kit, { name: "addTen", input: { b: 1 } })).data).toBe(11);
    expect((await final(kit, { name: "addTwenty", input: { b: 1 } })).data).toBe(21);
  });

  it("1.3: the tools of an MCP client are registered together", async () => {
    const kit = new Toolkit();
    await kit.registerMcpClient(fakeMcp([echo, { ...echo, name: "echo2" }], () => ({})));
    expect(names(kit)).toEqual(["echo", "echo2"]);
  });

  it("1.3: a sub-agent tool is registered with the schema of its input model, not with that of its wrapper", async () => {
    const tool = makeSubagentTool({
      name: "researcher",
      description: "Finds out.",
      input: z.object({ query: z.string() }),
      run: ({ query }) => `about ${query}`,
    });
    const kit = new Toolkit();
    kit.registerToolFunction(tool);
    expect(kit.getJsonSchemas()[0]?.function.parameters).toMatchObject({
      properties: { query: { type: "string" } },
      required: ["query"],
    });
    expect((await final(kit, { name: "researcher", input: { query: "owls" } })).data).toBe("about owls");
  });
});

describe("1.3 groups", () => {
  function grouped(): Toolkit {
    const kit = new Toolkit({ metaTool: false });
    kit.createToolGroup("files", { description: "Files.", notes: "Mind the paths." });
    kit.registerToolFunction(() => 1, { name: "read", description: "d", groupName: "files" });
    kit.registerToolFunction(() => 1, { name: "always", description: "d" });
    return kit;
  }

  it("1.3: groups are created, activated, put away and removed with their tools", () => {
    const kit = grouped();
    expect(names(kit)).toEqual(["always"]);
    kit.updateToolGroups(["files"], true);
    expect(names(kit)).toEqual(["read", "always"]);
    kit.updateToolGroups(["files"], false);
    expect(names(kit)).toEqual(["always"]);
    kit.removeToolGroups(["files"]);
    expect([kit.groups.has("files"), kit.registered.has("read")]).toEqual([false, false]);
  });

  it("1.3: the group basic is always there, and always active", () => {
    const kit = grouped();
    expect(kit.groups.get("basic")?.active).toBe(true);
    expect(kit.registered.get("always")?.groupName).toBe("basic");
    for (const change of [() => kit.updateToolGroups(["basic"], false), () => kit.removeToolGroups(["basic"])]) {
      expect(change).toThrow(expect.objectContaining({ code: "toolkit/basic-group" }));
    }
  });

  it("1.3: getJsonSchemas follows the active groups, getToolGroupNotes gives their notes", () => {
    const kit = grouped();
    expect(kit.getToolGroupNotes()).toBe("");
    kit.updateToolGroups(["files"], true);
    expect(kit.getToolGroupNotes()).toContain("Mind the paths.");
  });
});

describe("1.3 calls", () => {
  it("1.3: the tool is found by name, the model's input and the presets are merged", async () => {
    const kit = kitWith((input: unknown) => input, {
      args: { a: "number", b: "number" },
      jsonSchema: undefined as never,
      presets: { b: 2 },
    });
    expect((await final(kit, { input: { a: 1 } })).data).toEqual({ a: 1, b: 2 });
  });

  it("1.3: a streaming tool gives one response per chunk, and the last one has isLast", async () => {
    const kit = kitWith(async function* () {
      yield new ToolResponse({ content: "a", stream: true });
      yield new ToolResponse({ content: "ab", stream: true });
    });
    const responses = await collect(kit);
    expect(texts(responses)).toEqual(["a", "ab", "ab"]);
    expect(responses.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(responses.map(({ stream }) => stream)).toEqual([true, true, true]);
  });

  it("1.3: setExtendedModel binds a model to the finish function, so that structured output takes the tools' way", async () => {
    const kit = kitWith(({ text }: { text: string }) => text, {
      jsonSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
    kit.setExtendedModel("t", z.object({ city: z.string() }));
    const parameters = kit.getJsonSchemas()[0]?.function.parameters;
    expect(parameters).toMatchObject({
      properties: { text: {}, city: { type: "string" } },
      required: ["text", "city"],
    });
    expect((await final(kit, { input: { text: "hi" } })).error?.type).toBe("InvalidInput");
    expect((await final(kit, { input: { text: "hi", city: "Rome" } })).metadata).toEqual({
      response_msg: "hi",
      structured_output: { city: "Rome" },
    });
  });

  it.each([true, false])("1.3: an MCP client, stateful (%s) or not, becomes local tools", async (stateful) => {
    const kit = new Toolkit();
    const client = fakeMcp([echo], () => ({ content: [{ type: "text", text: "pong" }] }), { stateful });
    await kit.registerMcpClient(client);
    await final(kit, { name: "echo", input: { text: "ping" } });
    expect(client.calls).toEqual(['echo {"text":"ping"}']);
  });

  it("1.3: the state holds the active groups, and what was registered when asked for", () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d", active: true });
    kit.registerToolFunction(() => 1, { name: "f", description: "d", groupName: "g" });
    const saved = JSON.parse(JSON.stringify(kit.saveState({ registrations: true })));
    expect(saved).toMatchObject({ activeGroups: ["g"] });
    expect(saved.registrations).toContainEqual(expect.objectContaining({ name: "f", groupName: "g" }));
    kit.updateToolGroups(["g"], false);
    kit.loadState(saved);
    expect(kit.groups.get("g")?.active).toBe(true);
  });
});

describe("1.4 patterns", () => {
  it("1.4: adapter: a registered function wraps local functions, tools and MCP tools alike", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(() => "pong", { name: "local", description: "d" });
    kit.registerToolFunction(defineTool({ name: "tool", description: "d", execute: () => "pong" }));
    const noInput = { name: "remote", description: "d", inputSchema: { type: "object" as const } };
    await kit.registerMcpClient(fakeMcp([noInput], () => ({ content: [{ type: "text", text: "pong" }] })));
    for (const registered of kit.registered.values()) {
      const responses: ToolResponse[] = [];
      for await (const response of registered.call({ arguments: {} })) responses.push(response);
      expect(contentText(lastOf(responses).content)).toBe("pong");
    }
  });

  it("1.4: strategy: post-processing decides per tool what a response becomes", async () => {
    const kit = kitWith(() => "x", { postprocess: (_call, response) => response.with({ content: "y" }) });
    expect(contentText((await final(kit)).content)).toBe("y");
  });

  it("1.4: generators, sync or not, are one kind of asynchronous iterator to who calls", async () => {
    const kit = kitWith(function* () {
      yield "a";
    });
    const call = kit.callToolFunction({ name: "t" });
    expect(typeof call[Symbol.asyncIterator]).toBe("function");
    expect((await call.next()).value).toBeInstanceOf(ToolResponse);
    await call.return();
  });
});

describe("1.5 with others", () => {
  it("1.5: metadata.response_msg of the finish function is the final answer", async () => {
    const kit = kitWith(async function* () {
      yield "The answer";
      yield "The answer is 4.";
    });
    kit.setExtendedModel("t", { "confidence?": "number" });
    expect((await final(kit)).metadata?.response_msg).toBe("The answer is 4.");
  });

  it("1.5: getJsonSchemas is what a model's request takes", () => {
    const kit = kitWith(() => 1);
    expect(toOpenAiTools(kit.definitions()).tools.map((tool) => tool.function.name)).toEqual(
      kit.getJsonSchemas().map((schema) => schema.function.name),
    );
  });

  it("1.5: others supply functions and whole groups at any time, also while calls run", async () => {
    const kit = kitWith(() => {
      kit.createToolGroup("plans", { description: "d", active: true });
      kit.registerToolFunction(() => "later", { name: "later", description: "d", groupName: "plans" });
      return "ok";
    });
    await final(kit);
    expect((await final(kit, { name: "later" })).data).toBe("later");
  });

  it("1.5: faults of tools are told in the response by default, and thrown to the agent where it asks", async () => {
    const kit = kitWith(() => {
      throw new Error("boom");
    });
    expect((await final(kit)).error).toMatchObject({ type: "Error", message: "boom" });
    await expect(collect(kit, {}, { onError: "throw" })).rejects.toThrow("boom");
  });
});
