// Where the toolkit does other than AgentScope's, because that one hurts. Its MCP clients, and the points that were open, are in
// points.test.ts.
import { contentText, type JsonSchemaObject } from "@toolglot/core";
import type { StandardInput } from "@toolglot/schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, makeSubagentTool, Toolkit, ToolResponse } from "../../src/index.ts";
import { collect, final, kitWith } from "../support.ts";

const code = (name: string) => expect.objectContaining({ code: `toolkit/${name}` });
const listed = (kit: Toolkit): string[] => kit.getJsonSchemas().map((schema) => schema.function.name);

describe("definition and schema", () => {
  const execute = (input: unknown): unknown => input;
  const sources = {
    zod: z.object({ city: z.string(), days: z.number().default(3) }),
    arktype: type({ city: "string", days: "number = 3" }),
    valibot: v.object({ city: v.string(), days: v.optional(v.number(), 3) }),
  };

  it.each(Object.entries(sources))("a Standard Schema of %s is taken as it is", async (_library, input) => {
    const kit = new Toolkit();
    kit.registerToolFunction(defineTool({ name: "t", description: "d", input: input as StandardInput, execute }));
    expect(kit.definitions()[0]?.inputSchema).toMatchObject({
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    expect((await final(kit, { input: { city: "Rome" } })).data).toEqual({ city: "Rome", days: 3 });
  });

  it("a plain JSON Schema and the shorthand give the same", async () => {
    const kit = new Toolkit();
    const input: JsonSchemaObject = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number", default: 3 } },
      required: ["city"],
    };
    kit.registerToolFunction(defineTool({ name: "json", description: "d", input, execute }));
    kit.registerToolFunction(
      defineTool({ name: "args", description: "d", args: { city: "string", "days?": "number = 3" }, execute }),
    );
    for (const name of ["json", "args"]) {
      expect((await final(kit, { name, input: { city: "Rome" } })).data).toEqual({ city: "Rome", days: 3 });
    }
  });

  it("conversion happens once, at definition, and fails there, naming tool and field", () => {
    const define = (input: unknown) => () =>
      defineTool({ name: "trip", description: "d", input: input as never, execute });
    expect(define(z.object({ when: z.date() }))).toThrow(/trip.*when|when.*trip/s);
    expect(define(v.object({ when: v.date() }))).toThrow(/trip.*when|when.*trip/s);
  });

  it("arktype's silent {} for a Date is seen at definition", () => {
    const define = () => defineTool({ name: "trip", description: "d", input: type({ when: "Date" }), execute });
    expect(define).toThrow(/trip.*when: date has no form in JSON Schema/);
  });

  it("annotations are MCP's words, and async and riskTier", () => {
    const annotations = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
      async: true,
      riskTier: "LOW" as const,
    };
    expect(defineTool({ name: "t", description: "d", annotations, execute }).annotations).toEqual(annotations);
  });

  it("a name override keeps originalName", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(defineTool({ name: "own", description: "d", execute }), { name: "other" });
    expect(kit.registered.get("other")).toMatchObject({ name: "other", originalName: "own" });
  });

  it("▲ titles are removed at every depth, in $defs too", () => {
    const jsonSchema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: { a: { type: "object", title: "A", properties: { b: { title: "B" } } } },
    };
    expect(JSON.stringify(kitWith(execute, { jsonSchema }).definitions())).not.toContain("title");
  });

  it("▲ the caller's objects are never changed, and changing them later changes nothing", async () => {
    const freeze = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      Object.freeze(value);
      for (const inner of Object.values(value)) freeze(inner);
    };
    const jsonSchema = {
      type: "object",
      title: "T",
      properties: { a: { type: "number", title: "A" }, b: { type: "number" } },
      required: ["a", "b"],
    };
    const presets = { b: 2 };
    const input = { a: "1" };
    for (const value of [jsonSchema, presets, input]) freeze(value);
    const kit = kitWith(execute, { jsonSchema, presets });
    kit.setExtendedModel("t", { "c?": "string" });
    expect((await final(kit, { input })).data).toEqual({ a: 1, b: 2 });
  });

  it("▲ a schema by hand is checked for its shape, and works with presets", async () => {
    expect(() => kitWith(execute, { jsonSchema: { type: "array" } })).toThrow(TypeError);
    const kit = kitWith(execute, {
      jsonSchema: { type: "function", function: { name: "t", description: "d" } },
      presets: { a: 1 },
    });
    expect((await final(kit)).data).toEqual({ a: 1 });
  });

  it("▲ presets vanish from properties and required, and always win: what the model gives in their place is dropped and reported", async () => {
    const kit = kitWith(execute, {
      jsonSchema: { type: "object", properties: { a: {}, key: {} }, required: ["a", "key"] },
      presets: { key: "host" },
    });
    expect(kit.definitions()[0]?.inputSchema).toEqual({ type: "object", properties: { a: {} }, required: ["a"] });
    const response = await final(kit, { input: { a: 1, key: "model" } });
    expect(response.data).toEqual({ a: 1, key: "host" });
    expect(response.metadata?.warnings).toEqual([expect.stringContaining("key")]);
  });

  it("a taken name raises by default, or overrides, is skipped, is renamed; errors have codes", () => {
    const kit = kitWith(() => 1);
    const again = (namesakeStrategy?: "raise" | "override" | "skip" | "rename") =>
      kit.registerToolFunction(() => 2, { name: "t", description: "d", ...(namesakeStrategy && { namesakeStrategy }) });
    expect(() => again()).toThrow(code("name-clash"));
    expect(again("skip")).toHaveLength(1);
    expect(again("rename")).toHaveLength(1);
    expect(again("override")).toHaveLength(1);
    expect(listed(kit)).toEqual(["t", "t_1"]);
  });
});

describe("calling", () => {
  it("a tool may return a response, a string, JSON, content blocks, or nothing", async () => {
    const given = async (value: unknown): Promise<unknown> => (await final(kitWith(() => value))).content;
    expect(await given(new ToolResponse({ content: "r" }))).toEqual([{ type: "text", text: "r" }]);
    expect(await given("s")).toEqual([{ type: "text", text: "s" }]);
    expect(await given({ a: 1 })).toEqual([{ type: "text", text: '{"a":1}' }]);
    const image = { type: "image", mediaType: "image/png", data: "AA==" };
    expect(await given([image])).toEqual([image]);
    expect(await given(undefined)).toEqual([{ type: "text", text: "(no output)" }]);
  });

  it('▲ input is validated, and coerced only when it does not fit: "3", "[1]", "true"', async () => {
    const properties = {
      n: { type: "number" },
      list: { type: "array", items: { type: "number" } },
      on: { type: "boolean" },
      s: { type: "string" },
    };
    const kit = kitWith((input: unknown) => input, { jsonSchema: { type: "object", properties } });
    const coerced = await final(kit, { input: { n: "3", list: "[1]", on: "true", s: "3" } });
    expect(coerced.data).toEqual({ n: 3, list: [1], on: true, s: "3" });
    expect(coerced.metadata?.conversions).toHaveLength(3);
  });

  it("▲ what still does not fit is an error the model can act on: path, expected, got", async () => {
    const runs: unknown[] = [];
    const kit = kitWith((input: unknown) => void runs.push(input), {
      jsonSchema: { type: "object", properties: { list: { type: "array", items: { type: "number" } } } },
    });
    const { error } = await final(kit, { input: { list: [1, "many"] } });
    expect(error).toMatchObject({
      type: "InvalidInput",
      issues: [{ path: "list[1]", expected: "number", got: 'string "many"' }],
    });
    expect(runs).toEqual([]);
  });

  it("▲ the runtime sets isLast, on exactly one response, whatever the tool says", async () => {
    const kit = kitWith(function* () {
      yield new ToolResponse({ content: "a", isLast: true });
      yield new ToolResponse({ content: "b", isLast: true });
    });
    expect((await collect(kit)).map(({ isLast }) => isLast)).toEqual([false, false, true]);
  });

  it("▲ every call ends with exactly one final response: ok, error, interrupted or denied", async () => {
    const tools = [
      () => 1,
      () => Promise.reject(new Error("x")),
      () => new Promise(() => {}),
      () => new ToolResponse({ content: "no", status: "denied" }),
    ];
    const ends = await Promise.all(
      tools.map(async (tool) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 20);
        return (await final(kitWith(tool), {}, { signal: controller.signal })).status;
      }),
    );
    expect(ends).toEqual(["ok", "error", "interrupted", "denied"]);
  });

  it("an abort reaches the tool; the call ends as interrupted, with what came before and a notice", async () => {
    const controller = new AbortController();
    let reason: unknown;
    const kit = kitWith(async function* (_input: unknown, { signal }: { signal: AbortSignal }) {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      yield "part";
      controller.abort("enough");
      await new Promise(() => {});
    });
    const response = await final(kit, {}, { signal: controller.signal });
    expect(response).toMatchObject({ status: "interrupted", isInterrupted: true, isLast: true });
    expect(contentText(response.content)).toMatch(/^part\s+The tool call was interrupted/);
    expect(reason).toBe("enough");
  });

  it("timeoutMs limits an attempt; retries are for tools that may run twice", async () => {
    const slow = kitWith(() => new Promise(() => {}), { timeoutMs: 5 });
    expect((await final(slow)).error?.type).toBe("Timeout");
    const kit = new Toolkit();
    const options = { name: "t", description: "d", retries: 2 };
    expect(kit.registerToolFunction(() => 1, options)).toEqual([expect.stringContaining("not retried")]);
    expect(kit.registerToolFunction(() => 1, { ...options, name: "u", annotations: { readOnlyHint: true } })).toEqual(
      [],
    );
  });

  it("▲ post-processing runs once per chunk; its own exception becomes an error response", async () => {
    let runs = 0;
    const stream = function* () {
      yield "a";
      yield "b";
    };
    await collect(kitWith(stream, { postprocess: () => void runs++ }));
    expect(runs).toBe(2);
    const kit = kitWith(() => "secret", {
      postprocess: () => {
        throw new Error("post");
      },
    });
    const response = await final(kit);
    expect(response.error?.message).toBe("post");
    expect(JSON.stringify(response)).not.toContain("secret");
  });

  it("middleware is an onion in the order of registration, and may answer without going on", async () => {
    const kit = kitWith(() => "tool");
    const seen: string[] = [];
    for (const name of ["outer", "inner"]) {
      kit.registerMiddleware(async function* (call, next) {
        seen.push(`${name} in`);
        if (name === "inner" && call.id === "cached") yield new ToolResponse({ content: "cached" });
        else yield* next();
        seen.push(`${name} out`);
      });
    }
    expect(contentText((await final(kit)).content)).toBe("tool");
    expect(contentText((await final(kit, { id: "cached" })).content)).toBe("cached");
    expect(seen.slice(0, 4)).toEqual(["outer in", "inner in", "inner out", "outer out"]);
  });

  it("middleware that is stuck does not hold up an aborted call; what it waited for is told to stop", async () => {
    for (const stuckAfter of [true, false]) {
      const kit = kitWith(() => "tool");
      let cleaned = false;
      kit.registerMiddleware(async function* (_call, next) {
        try {
          yield* next();
        } finally {
          cleaned = true;
        }
      });
      kit.registerMiddleware(async function* (_call, next) {
        if (stuckAfter) yield* next();
        await new Promise(() => {});
        yield* next();
      });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 5);
      const response = await final(kit, {}, { signal: controller.signal });
      expect(response.status).toBe(stuckAfter ? "ok" : "interrupted");
      expect(cleaned).toBe(true);
    }
  });

  it("an unknown tool is an error with the nearest names, one in an inactive group names the group and the meta tool", async () => {
    const kit = kitWith(() => 1, { name: "read_file" });
    kit.createToolGroup("net", { description: "d" });
    kit.registerToolFunction(() => 1, { name: "fetch", description: "d", groupName: "net" });
    expect((await final(kit, { name: "readFile" })).error).toMatchObject({
      type: "UnknownTool",
      message: expect.stringContaining("read_file"),
    });
    expect((await final(kit, { name: "fetch" })).error?.message).toMatch(/"net".*reset_equipped_tools/);
  });

  it("only misuse of the interface throws", () => {
    expect(() => kitWith(() => 1).callToolFunction(undefined as never)).toThrow(TypeError);
    expect(() => kitWith(() => 1).callToolFunction({ name: "t" }, { onError: "x" as never })).toThrow(TypeError);
  });
});

describe("groups, meta tool, finish function, state", () => {
  function kit(): Toolkit {
    const made = new Toolkit();
    made.createToolGroup("a", { description: "Group A.", notes: "Note of A." });
    made.createToolGroup("b", { description: "Group B.", active: true });
    return made;
  }
  const active = (made: Toolkit): string[] => made.saveState().activeGroups;
  const reset = (made: Toolkit, input: unknown) => final(made, { name: "reset_equipped_tools", input });

  it("the meta tool has one boolean per group, as they are at each listing", () => {
    const made = kit();
    made.createToolGroup("c", { description: "Group C." });
    made.removeToolGroups(["a"]);
    expect(made.definitions()[0]?.inputSchema.properties).toMatchObject({
      b: { type: "boolean", description: "Group B." },
      c: { type: "boolean" },
    });
  });

  it("▲ it sets the final state, and validates before it changes anything", async () => {
    const made = kit();
    const wrong = await reset(made, { a: true, b: "perhaps" });
    expect([wrong.status, active(made)]).toEqual(["error", ["b"]]);
    const right = await reset(made, { a: true });
    expect([right.status, active(made)]).toEqual(["ok", ["a"]]);
    expect(contentText(right.content)).toContain("Note of A.");
  });

  it("▲ it reports groups that don't exist", async () => {
    const response = await reset(kit(), { a: true, zzz: true });
    expect(contentText(response.content)).toContain("zzz");
    expect(JSON.stringify(response.metadata ?? response.error)).toContain("zzz");
  });

  it("▲ a model whose properties clash with the tool's, presets too, is an error at once, and changes nothing", () => {
    const made = kitWith(() => 1, {
      jsonSchema: { type: "object", properties: { text: {}, key: {} } },
      presets: { key: 1 },
    });
    const before = made.getJsonSchemas();
    for (const model of [{ text: "string" }, { key: "string" }]) {
      expect(() => made.setExtendedModel("t", model)).toThrow(code("extended-model-clash"));
    }
    expect(() => made.setExtendedModel("nope", { a: "string" })).toThrow(code("unknown-tool"));
    expect(made.getJsonSchemas()).toEqual(before);
  });

  it("a model can be replaced and taken away; registering the finish function anew forgets it", () => {
    const made = kitWith(() => 1);
    const properties = (): string[] => Object.keys(made.definitions()[0]?.inputSchema.properties ?? {});
    made.setExtendedModel("t", { a: "string" });
    made.setExtendedModel("t", { b: "string" });
    expect(properties()).toEqual(["b"]);
    made.setExtendedModel("t", null);
    expect(properties()).toEqual([]);
    made.setExtendedModel("t", { a: "string" });
    made.registerToolFunction(() => 2, {
      name: "t",
      description: "new",
      args: { own: "string" },
      namesakeStrategy: "override",
    });
    made.setExtendedModel("t", { c: "string" });
    expect(properties()).toEqual(["own", "c"]);
  });

  it("the model's $defs are merged, and its schema runs on the toolkit's engine", async () => {
    const engines: unknown[] = [];
    const made = new Toolkit({
      validator: (schema) => {
        engines.push(schema);
        return { accepts: () => true };
      },
    });
    made.registerToolFunction((input: unknown) => input, { name: "t", description: "d" });
    const before = engines.length;
    made.setExtendedModel("t", {
      type: "object",
      properties: { p: { $ref: "#/$defs/p" } },
      $defs: { p: { type: "string" } },
    });
    expect(engines.length).toBeGreaterThan(before);
    expect(made.definitions()[0]?.inputSchema).toMatchObject({ $defs: { p: { type: "string" } } });
    expect((await final(made, { input: { p: "x" } })).metadata).toMatchObject({ structured_output: { p: "x" } });
  });

  it("a state is validated before it is loaded, and unknown names reported", () => {
    const made = kit();
    expect(() => made.loadState({ activeGroups: ["a", "nope"] })).toThrow(code("unknown-group"));
    expect(active(made)).toEqual(["b"]);
    expect(made.loadState({ activeGroups: ["a", "nope"] }, { strict: false })).toEqual([
      expect.stringContaining("nope"),
    ]);
    expect(active(made)).toEqual(["a"]);
    expect(() => made.loadState({ activeGroups: "a" } as never)).toThrow(TypeError);
  });

  it("a sub-agent that fails is an error with metadata.unavailable", async () => {
    const made = new Toolkit();
    const run = (): never => {
      throw new Error("no quota");
    };
    made.registerToolFunction(makeSubagentTool({ name: "t", description: "d", args: { query: "string" }, run }));
    expect(await final(made, { input: { query: "x" } })).toMatchObject({
      status: "error",
      metadata: { unavailable: true },
    });
  });
});
