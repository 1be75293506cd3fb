import fc from "fast-check";
import { expect, it } from "vitest";
import {
  defineTool,
  fromMcpTool,
  fromOpenAiTool,
  Toolkit,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiTools,
} from "../src/index.ts";

const tools = [
  defineTool({
    name: "File.Write",
    description: "Writes.",
    args: { path: "string" },
    annotations: { idempotentHint: true, title: "Write" },
    output: { type: "object", properties: { bytes: { type: "integer" } } },
    execute: () => 1,
  }),
  defineTool({ name: "File_Write", description: "d", execute: () => 1 }),
  defineTool({ name: "1 2", description: "d", execute: () => 1 }),
];

it("should give each provider its shape, with names it takes, and read them back", () => {
  const openAi = toOpenAiTools(tools);
  expect(openAi.tools.map((tool) => tool.function.name)).toEqual(["File_Write_2", "File_Write", "1_2"]);
  expect(openAi.names.fromProvider("File_Write_2")).toBe("File.Write");
  expect(openAi.tools[1]?.function.parameters).toMatchObject({ type: "object", properties: {} });
  expect(toAnthropicTools(tools).tools[0]).toMatchObject({
    name: "File_Write_2",
    input_schema: { required: ["path"] },
  });
  expect(toGeminiTools(tools).tools.map(({ name }) => name)).toEqual(["File.Write", "File_Write", "_1_2"]);
});

it("should keep names apart, whatever they are, and inside the rule", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100, unit: "grapheme" }), { maxLength: 20 }),
      (names) => {
        const { tools: shaped, names: back } = toOpenAiTools(
          names.map((name) => ({ name, description: "", inputSchema: {} })),
        );
        const given = shaped.map((tool) => tool.function.name);
        expect(new Set(given).size).toBe(names.length);
        for (const [index, name] of given.entries()) {
          expect(name).toMatch(/^[\w-]{1,64}$/);
          expect(back.fromProvider(name)).toBe(names[index]);
        }
      },
    ),
  );
});

it("should write and read MCP's shape, with the hints that are stated", () => {
  const [write, plain] = toMcpTools(tools);
  expect(write).toMatchObject({
    name: "File.Write",
    title: "Write",
    outputSchema: { type: "object" },
    annotations: { title: "Write", idempotentHint: true },
  });
  expect(plain?.annotations).toBeUndefined();
  expect(fromMcpTool(write).annotations).toEqual({ title: "Write", idempotentHint: true });
  expect(fromMcpTool({ name: "r", inputSchema: {}, annotations: { destructiveHint: true } }).annotations).toEqual({
    destructiveHint: true,
  });
  expect(fromMcpTool({ name: "r", inputSchema: {} }).annotations).toBeUndefined();
});

it("should take OpenAI's shape in, and register it", async () => {
  const definition = fromOpenAiTool(toOpenAiTools(tools).tools[0]);
  const toolkit = new Toolkit();
  toolkit.registerToolFunction({ ...definition, execute: (input: unknown) => input });
  for await (const response of toolkit.callToolFunction({ name: "File_Write_2", input: { path: "x" } }))
    expect(response.data).toEqual({ path: "x" });
  expect(() => fromOpenAiTool({ name: "x" })).toThrow(TypeError);
  expect(() => fromMcpTool(null)).toThrow(TypeError);
});

it("should never hand out the schema itself", () => {
  const { tools: shaped } = toOpenAiTools(tools);
  (shaped[0]?.function.parameters.properties as Record<string, unknown>).path = false;
  expect(tools[0]?.inputSchema.properties?.path).not.toBe(false);
});
