import * as v from "valibot";
import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool, Toolkit, type ToolResponse } from "../src/index.ts";

const finish = defineTool({
  name: "generate_response",
  description: "Answers the user.",
  args: { response: "string - The answer" },
  execute: ({ response }) => response,
});

async function call(toolkit: Toolkit, input: unknown): Promise<ToolResponse> {
  let last: ToolResponse | undefined;
  for await (const response of toolkit.callToolFunction({ name: "generate_response", input })) last = response;
  return last as ToolResponse;
}

it("should merge the model into the schema, validate calls with it, and put both parts into the metadata", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(finish);
  toolkit.setExtendedModel(
    "generate_response",
    z.object({ score: z.number().min(0), tags: z.array(z.string()).default([]) }),
  );
  const [schema] = toolkit.getJsonSchemas();
  expect(Object.keys(schema?.function.parameters.properties as object)).toEqual(["response", "score", "tags"]);
  expect(schema?.function.parameters.required).toEqual(["response", "score"]);
  const good = await call(toolkit, { response: "done", score: "3" });
  expect(good.metadata).toMatchObject({ response_msg: "done", structured_output: { score: 3, tags: [] } });
  expect(good.isLast).toBe(true);
  const bad = await call(toolkit, { response: "done", score: -1 });
  expect(bad.status).toBe("error");
  expect(bad.error?.issues?.[0]?.path).toBe("score");
  expect(bad.metadata?.structured_output).toBeUndefined();
});

it("should take the model away again, and replace it", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(finish);
  toolkit.setExtendedModel("generate_response", v.object({ a: v.string() }));
  toolkit.setExtendedModel("generate_response", {
    type: "object",
    properties: { b: { type: "integer" } },
    required: ["b"],
  });
  expect((await call(toolkit, { response: "x", b: 1 })).metadata?.structured_output).toEqual({ b: 1 });
  toolkit.setExtendedModel("generate_response", null);
  expect(toolkit.definitions()[0]?.inputSchema).toEqual(finish.inputSchema);
  expect((await call(toolkit, { response: "x" })).metadata?.structured_output).toBeUndefined();
});

it("should refuse a clash of names, and an unknown tool, before anything changes", () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(finish);
  expect(() => toolkit.setExtendedModel("generate_response", z.object({ response: z.string() }))).toThrow(
    expect.objectContaining({ code: "toolkit/extended-model-clash" }),
  );
  expect(toolkit.definitions()[0]?.inputSchema).toEqual(finish.inputSchema);
  expect(() => toolkit.setExtendedModel("other", null)).toThrow(
    expect.objectContaining({ code: "toolkit/unknown-tool" }),
  );
});

it("should merge definitions, and keep references of both sides alive", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction((input: { p: unknown }) => JSON.stringify(input), {
    name: "generate_response",
    description: "d",
    jsonSchema: { type: "object", properties: { p: { $ref: "#/$defs/P" } }, $defs: { P: { type: "integer" } } },
  });
  toolkit.setExtendedModel("generate_response", {
    type: "object",
    properties: { q: { $ref: "#/$defs/Q" } },
    $defs: { Q: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
    required: ["q"],
  });
  expect((await call(toolkit, { p: 1, q: { n: 2 } })).metadata?.structured_output).toEqual({ q: { n: 2 } });
  expect((await call(toolkit, { p: 1, q: {} })).status).toBe("error");
});
