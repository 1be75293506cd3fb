// The AgentScope description of its tool module, sections 2 and 3: what there is, and what each piece takes and gives.
import { contentText } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as entry from "../../src/index.ts";
import { defineTool, RegisteredToolFunction, Toolkit, ToolResponse } from "../../src/index.ts";
import { collect, final, kitWith, lastOf } from "../support.ts";
import { echo, fakeMcp } from "./fake-mcp.ts";

const clash = expect.objectContaining({ code: "toolkit/name-clash" });

describe("2 what there is", () => {
  it("2: Toolkit manages tools and groups by name, with the methods of the description in TypeScript's spelling", () => {
    const kit = kitWith(() => 1);
    expect(kit.registered.get("t")).toBeInstanceOf(RegisteredToolFunction);
    expect([...kit.groups.keys()]).toEqual(["basic"]);
    const methods = [
      "registerToolFunction",
      "removeToolFunction",
      "callToolFunction",
      "createToolGroup",
      "updateToolGroups",
      "removeToolGroups",
      "registerMcpClient",
      "removeMcpClients",
      "getJsonSchemas",
      "getToolGroupNotes",
      "setExtendedModel",
      "registerMiddleware",
      "saveState",
      "loadState",
      "clear",
      "registerAgentSkill",
      "removeAgentSkill",
      "getAgentSkillPrompt",
    ] as const;
    for (const method of methods) expect(typeof kit[method]).toBe("function");
  });

  it("2: a ToolGroup has name, description, active and notes", () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d", notes: "n" });
    expect(kit.groups.get("g")).toEqual({ name: "g", description: "d", active: false, notes: "n" });
  });

  it("2: a RegisteredToolFunction keeps function, group, schema, presets, post-processing and extended model", async () => {
    const kit = new Toolkit();
    const postprocess = () => undefined;
    kit.registerToolFunction(({ a }: { a: number }) => a, {
      name: "f",
      description: "d",
      args: { a: "number", b: "number" },
      presets: { b: 1 },
      postprocess,
    });
    kit.setExtendedModel("f", { c: "number" });
    const registered = kit.registered.get("f");
    expect(registered).toMatchObject({ groupName: "basic", presets: { b: 1 }, postprocess });
    expect(Object.keys(registered?.extendedModel?.jsonSchema.properties ?? {})).toEqual(["c"]);
    expect(registered?.jsonSchema.function.parameters).toMatchObject({ required: ["a", "c"] });
    const responses: ToolResponse[] = [];
    for await (const response of registered?.call({ arguments: { a: 1, c: 2 } }) ?? []) responses.push(response);
    expect(lastOf(responses)).toMatchObject({ data: 1, metadata: { structured_output: { c: 2 } } });
  });

  it("2: a ToolResponse has content, metadata, stream, isLast, isInterrupted and a time-stamped id", () => {
    const before = Date.now();
    const response = new ToolResponse({ content: [{ type: "text", text: "x" }] });
    expect(response).toMatchObject({ metadata: undefined, stream: false, isLast: true, isInterrupted: false });
    const stamped = Date.parse(response.id.slice(0, 24));
    expect(stamped).toBeGreaterThanOrEqual(before - 1);
    expect(stamped).toBeLessThanOrEqual(Date.now() + 1);
  });

  it("2: titles are removed from schemas, at every depth", () => {
    const jsonSchema = {
      type: "object",
      title: "Input",
      properties: { title: { type: "string", title: "Title" }, list: { type: "array", items: { title: "Item" } } },
      $defs: { part: { title: "Part", type: "string" } },
    };
    const text = JSON.stringify(kitWith(() => 1, { jsonSchema }).getJsonSchemas());
    expect(text).not.toMatch(/"(Input|Title|Item|Part)"/);
    expect(text).toContain('"title":{"type":"string"}');
  });

  it("2: nothing that touches the host's files or shell is registered by default, nor exported here", () => {
    expect([...new Toolkit().registered.keys()]).toEqual([]);
    for (const name of Object.keys(entry))
      expect(name).not.toMatch(/TextFile|ShellCommand|PythonCode|viewText|writeText/i);
  });

  it("2: the module exports Toolkit and what belongs to it", () => {
    expect(Object.keys(entry)).toEqual(
      expect.arrayContaining(["Toolkit", "ToolResponse", "RegisteredToolFunction", "defineTool"]),
    );
  });
});

describe("3 registerToolFunction", () => {
  it("3: without groupName a tool is in basic; with one, in that group", () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d" });
    kit.registerToolFunction(() => 1, { name: "a", description: "d" });
    kit.registerToolFunction(() => 1, { name: "b", description: "d", groupName: "g" });
    expect(
      [...kit.registered.values()].filter(({ name }) => name.length === 1).map(({ groupName }) => groupName),
    ).toEqual(["basic", "g"]);
  });

  it("3: presets are not shown to the model, and merged with its arguments at the call", async () => {
    const kit = kitWith((input: unknown) => input, {
      jsonSchema: { type: "object", properties: { a: {}, key: { type: "string" } }, required: ["key"] },
      presets: { key: "secret" },
    });
    expect(JSON.stringify(kit.getJsonSchemas())).not.toContain("key");
    expect((await final(kit, { input: { a: 1 } })).data).toEqual({ a: 1, key: "secret" });
  });

  it("3: description replaces the description; includeLongDescription: false leaves its first paragraph", () => {
    const tool = defineTool({ name: "f", description: "Short.\n\nLong.", execute: () => 1 });
    const described = (options: object): string | undefined => {
      const kit = new Toolkit();
      kit.registerToolFunction(tool, options);
      return kit.definitions()[0]?.description;
    };
    expect(described({})).toBe("Short.\n\nLong.");
    expect(described({ includeLongDescription: false })).toBe("Short.");
    expect(described({ description: "Other." })).toBe("Other.");
  });

  it("3: jsonSchema by hand takes the place of what would be made; a wrong one is a TypeError", () => {
    const kit = new Toolkit();
    const parameters = { type: "object", properties: { q: { type: "string" } } };
    const schema = { type: "function", function: { name: "f", description: "d", parameters } };
    kit.registerToolFunction(() => 1, { jsonSchema: schema });
    expect(kit.getJsonSchemas()).toEqual([schema]);
    for (const wrong of [
      { type: "string" },
      { type: "function" },
      [],
      { type: "function", function: { parameters: 1 } },
    ]) {
      expect(() =>
        kit.registerToolFunction(() => 1, { name: "g", description: "d", jsonSchema: wrong as never }),
      ).toThrow(TypeError);
    }
  });

  it("3: what a function takes besides its named parameters is shown as additionalProperties, and passed on, with includeRest", async () => {
    const rest = (input: unknown): unknown => input;
    const options = { description: "d", args: { a: "number" } } as const;
    const kit = new Toolkit();
    kit.registerToolFunction(rest, { ...options, name: "closed" });
    kit.registerToolFunction(rest, { ...options, name: "open", includeRest: true });
    kit.registerToolFunction(rest, { ...options, name: "typed", includeRest: { type: "number" } });
    const library = defineTool({
      name: "library",
      description: "d",
      input: z.object({ a: z.number(), d: z.number().default(4) }),
      execute: rest,
    });
    kit.registerToolFunction(library, { includeRest: { type: "number" }, presets: { host: rest } });
    const shown = (name: string): unknown =>
      kit.getJsonSchemas().find((schema) => schema.function.name === name)?.function.parameters.additionalProperties;
    expect(["closed", "open", "typed", "library"].map(shown)).toEqual([
      false,
      true,
      { type: "number" },
      { type: "number" },
    ]);
    const input = { a: 1, b: "2", c: 3 };
    expect((await final(kit, { name: "closed", input })).error?.type).toBe("InvalidInput");
    expect((await final(kit, { name: "open", input })).data).toEqual(input);
    expect((await final(kit, { name: "typed", input })).data).toEqual({ a: 1, b: 2, c: 3 });
    expect((await final(kit, { name: "typed", input: { a: 1, b: "x" } })).error?.message).toMatch(/b: expected number/);
    expect((await final(kit, { name: "library", input })).data).toEqual({ a: 1, b: 2, c: 3, d: 4, host: rest });
    expect((await final(kit, { name: "library", input: { a: "x", b: "y" } })).error?.message).toMatch(/a: [\s\S]*b: /);
    expect(() => kit.registerToolFunction(rest, { ...options, name: "x", includeRest: 1 as never })).toThrow(TypeError);
  });

  it("3: what postprocess returns takes the response's place; nothing keeps it", async () => {
    const seen: string[] = [];
    const kit = kitWith(() => "x", {
      postprocess: (call, response) => {
        seen.push(`${call.name} ${contentText(response.content)}`);
        return seen.length === 1 ? undefined : new ToolResponse({ content: "y" });
      },
    });
    expect(contentText((await final(kit)).content)).toBe("x");
    expect(contentText((await final(kit)).content)).toBe("y");
    expect(seen).toEqual(["t x", "t x"]);
  });

  it("3: a name that is taken is an error, and so is removing basic", () => {
    const kit = kitWith(() => 1);
    expect(() => kit.registerToolFunction(() => 1, { name: "t", description: "d" })).toThrow(clash);
    expect(() => kit.removeToolGroups(["basic"])).toThrow(expect.objectContaining({ code: "toolkit/basic-group" }));
  });
});

describe("3 setExtendedModel", () => {
  it("3: the model's schema joins the tool's; the call is validated with it; the value stands in the metadata of the last response", async () => {
    const kit = kitWith(() => "answer");
    const model = z.object({ score: z.number().min(0), note: z.string().transform((text) => text.length) });
    kit.setExtendedModel("t", model);
    const wrong = await final(kit, { input: { score: -1, note: "x" } });
    expect(wrong.error).toMatchObject({ type: "InvalidInput", message: expect.stringContaining("score") });
    const response = await final(kit, { input: { score: 3, note: "four" } });
    expect(response).toMatchObject({
      isLast: true,
      metadata: { response_msg: "answer", structured_output: { score: 3, note: 4 } },
    });
  });

  it("3: a streaming finish function has it on its last response only, and calls at one time don't mix", async () => {
    const kit = kitWith(
      async function* ({ text }: { text: string }) {
        yield text[0];
        await Promise.resolve();
        yield text;
      },
      { args: { text: "string" }, jsonSchema: undefined as never },
    );
    kit.setExtendedModel("t", { n: "number" });
    const runs = await Promise.all([1, 2, 3].map((n) => collect(kit, { id: "same", input: { text: `text ${n}`, n } })));
    for (const [index, responses] of runs.entries()) {
      expect(responses.slice(0, -1).map(({ metadata }) => metadata)).toEqual([undefined, undefined]);
      expect(lastOf(responses).metadata).toEqual({
        response_msg: `text ${index + 1}`,
        structured_output: { n: index + 1 },
      });
    }
  });

  it("3: a failed finish has none of it", async () => {
    const kit = kitWith(() => {
      throw new Error("no");
    });
    kit.setExtendedModel("t", { n: "number" });
    const response = await final(kit, { input: { n: 1 } });
    expect([response.status, response.metadata]).toEqual(["error", undefined]);
  });
});

describe("3 callToolFunction and getJsonSchemas", () => {
  it("3: whether a response is a piece of a stream is the tool's to say", async () => {
    const kit = kitWith(function* () {
      yield new ToolResponse({ content: "a", stream: false });
      yield new ToolResponse({ content: "b", stream: true });
    });
    expect((await collect(kit)).map(({ stream }) => stream)).toEqual([false, true, true]);
  });

  it("3: a tool that throws in the middle keeps what came before; its error is the last response, or thrown", async () => {
    const kit = kitWith(function* () {
      yield "part";
      throw new Error("broke");
    });
    const responses = await collect(kit);
    expect(contentText(lastOf(responses).content)).toBe("part\n\nError: broke");
    await expect(collect(kit, {}, { onError: "throw" })).rejects.toThrow("broke");
  });

  it("3: getJsonSchemas gives the active groups, or the named ones", () => {
    const kit = kitWith(() => 1);
    kit.createToolGroup("g", { description: "d" });
    kit.registerToolFunction(() => 1, { name: "inG", description: "d", groupName: "g" });
    const listed = (groups?: string[]): string[] => kit.getJsonSchemas(groups).map((schema) => schema.function.name);
    expect(listed()).not.toContain("inG");
    expect(listed(["g"])).toEqual(["inG"]);
  });
});

describe("3 registerMcpClient", () => {
  const two = [echo, { ...echo, name: "other" }];
  const registered = async (options: Parameters<Toolkit["registerMcpClient"]>[1]) => {
    const kit = new Toolkit();
    const client = fakeMcp(two, (name) => ({ content: [{ type: "text", text: name }], _meta: { n: 1 } }) as never);
    const warnings = await kit.registerMcpClient(client, options);
    return { kit, client, warnings, names: [...kit.registered.keys()] };
  };

  it("3: enableTools is a list of what is registered, disableTools of what is not", async () => {
    expect((await registered({ enableTools: ["echo"] })).names).toEqual(["echo"]);
    expect((await registered({ disableTools: ["echo"] })).names).toEqual(["other"]);
  });

  it("3: presetsByTool has presets per tool", async () => {
    const { kit, client } = await registered({ presetsByTool: { echo: { text: "host" } } });
    await final(kit, { name: "echo" });
    expect(client.calls).toEqual(['echo {"text":"host"}']);
  });

  it("3: groupName and postprocess are as with local tools", async () => {
    const kit = new Toolkit();
    kit.createToolGroup("remote", { description: "d", active: true });
    await kit.registerMcpClient(
      fakeMcp([echo], () => ({})),
      { groupName: "remote", postprocess: (_call, response) => response.with({ content: "mine" }) },
    );
    expect(kit.registered.get("echo")?.groupName).toBe("remote");
    expect(contentText((await final(kit, { name: "echo", input: { text: "x" } })).content)).toBe("mine");
  });

  it("3: wrapToolResult: false gives the server's own result as well", async () => {
    const { kit } = await registered({ wrapToolResult: false });
    const response = await final(kit, { name: "echo", input: { text: "x" } });
    expect(response.metadata?.raw).toEqual({ content: [{ type: "text", text: "echo" }], _meta: { n: 1 } });
  });
});

describe("3 RegisteredToolFunction.call, ToolFunction", () => {
  it("3: call({ arguments }) merges the presets, validates, and gives one response with isLast for a single value", async () => {
    const kit = kitWith((input: unknown) => input, {
      jsonSchema: { type: "object", properties: { a: { type: "number" }, b: {} } },
      presets: { b: 2 },
    });
    const responses: ToolResponse[] = [];
    for await (const response of kit.registered.get("t")?.call({ arguments: { a: "1", b: 9 } }) ?? []) {
      responses.push(response);
    }
    expect(responses).toHaveLength(1);
    expect(responses[0]).toMatchObject({ isLast: true, data: { a: 1, b: 2 } });
  });

  it("3: a promise of a generator, and of a response, are allowed as well", async () => {
    const generator = kitWith(async () =>
      (async function* () {
        yield "x";
      })(),
    );
    const promise = kitWith(async () => new ToolResponse({ content: "x" }));
    for (const kit of [generator, promise]) expect(contentText((await final(kit)).content)).toBe("x");
  });
});
