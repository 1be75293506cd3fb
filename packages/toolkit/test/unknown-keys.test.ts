import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  EventBus,
  makeSubagentTool,
  Tasks,
  Toolkit,
  ToolResponse,
  toolkitExecutor,
  traceToolkit,
} from "../src/index.ts";
import { createMcpClient } from "../src/mcp/index.ts";
import { famResolver, fileResolver } from "../src/node/index.ts";

const execute = (input: unknown): unknown => input;
const spec = { name: "x", description: "d", execute };
const transport = { type: "stdio" as const, command: "true" };

/** Everything that takes options, with one key that is none: what is called, and the key that is meant. */
const misspelt: [what: string, call: (kit: Toolkit) => unknown, meant: string][] = [
  ["defineTool", () => defineTool({ ...spec, argz: {} } as never), "args"],
  ["annotations", () => defineTool({ ...spec, annotations: { readOnly: true } } as never), "readOnlyHint"],
  ["raises", () => defineTool({ ...spec, raises: [{ kind: "E", description: "d" }] } as never), "type"],
  ["examples", () => defineTool({ ...spec, examples: [{ inputs: {} }] } as never), "input"],
  ["new Toolkit", () => new Toolkit({ metatool: false } as never), "metaTool"],
  ["new Toolkit, tracing", () => new Toolkit({ tracing: { recordInput: true } } as never), "recordInputs"],
  ["traceToolkit", () => traceToolkit({ maxChras: 3 } as never), "maxChars"],
  ["registerToolFunction", (kit) => kit.registerToolFunction(defineTool(spec), { group: "web" } as never), "groupName"],
  ["of a function", (kit) => kit.registerToolFunction(execute, { name: "y", descripton: "d" } as never), "description"],
  [
    "its annotations",
    (kit) =>
      kit.registerToolFunction(execute, { name: "y", description: "d", annotations: { readonlyhints: true } } as never),
    "readOnlyHint",
  ],
  ["removeToolFunction", (kit) => kit.removeToolFunction("x", { mustExists: true } as never), "mustExist"],
  ["createToolGroup", (kit) => kit.createToolGroup("g", { description: "d", activ: true } as never), "active"],
  ["saveState", (kit) => kit.saveState({ registration: true } as never), "registrations"],
  ["loadState", (kit) => kit.loadState({ activeGroups: [] }, { strikt: false } as never), "strict"],
  ["callToolFunction", (kit) => kit.callToolFunction({ name: "x" }, { signals: 1 } as never), "signal"],
  ["toolkitExecutor", (kit) => toolkitExecutor(kit, { maxparalel: 2 } as never), "maxConcurrency"],
  ["new Tasks", () => new Tasks({ keepended: 2, keepEnd: 1 } as never), "keepEnded"],
  ["new EventBus", () => new EventBus({ onListenerErr: execute } as never), "onListenerError"],
  [
    "makeSubagentTool",
    () => makeSubagentTool({ name: "s", description: "d", args: {}, runs: execute, run: execute } as never),
    "run",
  ],
  ["new ToolResponse", () => new ToolResponse({ content: "", isInterupted: true } as never), "isInterrupted"],
  ["createMcpClient", () => createMcpClient({ name: "m", transport, statefull: true } as never), "stateful"],
  ["its transport", () => createMcpClient({ name: "m", transport: { ...transport, arg: [] } } as never), "args"],
  ["famResolver", () => famResolver({}, { maxByte: 1 } as never), "maxBytes"],
  ["fileResolver", () => fileResolver([], { maxByte: 1 } as never), "maxBytes"],
];

describe("a key that nobody reads is a TypeError that names the nearest one", () => {
  it.each(misspelt)("%s", (_what, call, meant) => {
    expect(() => call(new Toolkit())).toThrow(TypeError);
    expect(() => call(new Toolkit())).toThrow(meant);
  });

  it("registerMcpClient", async () => {
    const client = createMcpClient({ name: "m", transport });
    const kit = new Toolkit();
    await expect(kit.registerMcpClient(client, { enabledFuncs: ["a"] } as never)).rejects.toThrow(/enableTools/);
    await expect(kit.registerMcpClient(client, { enabledFuncs: ["a"] } as never)).rejects.toThrow(TypeError);
  });
});

describe("the input of a tool by its other names", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const statusWithout = async (kit: Toolkit): Promise<string | undefined> => {
    let status: string | undefined;
    for await (const response of kit.callToolFunction({ name: "x", input: {} })) status = response.status;
    return status;
  };

  it.each(["inputSchema", "parameters"])("%s means input, in defineTool and for functions", async (key) => {
    for (const given of [schema, z.object({ a: z.string() })]) {
      const kit = new Toolkit();
      kit.registerToolFunction(defineTool({ ...spec, [key]: given } as never));
      expect([kit.getJsonSchemas()[0]?.function.parameters.required, await statusWithout(kit)]).toEqual([
        ["a"],
        "error",
      ]);
      const other = new Toolkit();
      other.registerToolFunction(execute, { name: "x", description: "d", [key]: given } as never);
      expect(await statusWithout(other)).toBe("error");
    }
  });

  it("is given once", () => {
    expect(() => defineTool({ ...spec, input: schema, parameters: schema } as never)).toThrow(
      /input and parameters, which mean the same/,
    );
    expect(() => defineTool({ ...spec, args: { a: "string" }, inputSchema: schema } as never)).toThrow(
      /both input and args/,
    );
    expect(() => defineTool({ ...spec, output: schema, outputSchema: schema } as never)).toThrow(/give output alone/);
  });

  it("outputSchema means output", () => {
    expect(defineTool({ ...spec, outputSchema: schema } as never).outputSchema).toEqual(schema);
  });

  it.each([
    { type: "function", function: { name: "x", description: "d", parameters: schema, strict: true } },
    { type: "function", name: "x", description: "d", parameters: schema, strict: true },
    { name: "x", description: "d", parameters: schema },
    { name: "x", schema, strict: true },
    { type: "json_schema", json_schema: { name: "x", schema } },
    { name: "x", description: "d", inputSchema: schema },
    { name: "x", input_schema: schema },
  ])("is found in %j", async (wrapped) => {
    const byHand = new Toolkit();
    byHand.registerToolFunction(execute, { name: "x", description: "d", jsonSchema: wrapped });
    expect([byHand.getJsonSchemas()[0]?.function.parameters, await statusWithout(byHand)]).toEqual([schema, "error"]);
    const defined = new Toolkit();
    defined.registerToolFunction(defineTool({ ...spec, input: wrapped as never }));
    expect([defined.getJsonSchemas()[0]?.function.parameters, await statusWithout(defined)]).toEqual([schema, "error"]);
  });
});
