import { ToolError } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { defineTool, Toolkit } from "../src/index.ts";
import { kitWith } from "./support.ts";

const context = { signal: new AbortController().signal, callId: "c1" };

describe("tools()", () => {
  const kit = new Toolkit();
  kit.registerToolFunction(
    defineTool({
      name: "add",
      description: "Adds.",
      args: { a: "integer", b: "integer = 1" },
      annotations: { readOnlyHint: true },
      execute: ({ a, b }) => ({ sum: a + b }),
    }),
    { postprocess: (_call, response) => response.with({ metadata: { seen: true } }) },
  );
  const [add] = kit.tools();

  it("should validate, coerce and give the data", async () => {
    expect(add).toMatchObject({ name: "add", inputSchema: { required: ["a"] }, annotations: { readOnlyHint: true } });
    expect(await add?.execute({ a: "2" }, context)).toEqual({ sum: 3 });
  });

  it("should fail with a ToolError made for the model", async () => {
    const fault: unknown = await Promise.resolve(add?.execute({ a: "x" }, context)).catch((error: unknown) => error);
    if (!ToolError.isInstance(fault)) throw fault;
    expect(fault.message).toContain('- a: expected integer, got string "x"');
    expect(fault.data).toMatchObject({ type: "InvalidInput", issues: [{ path: "a" }] });
  });

  it("should give text, blocks, the last chunk, or nothing", async () => {
    const image = { type: "image" as const, mediaType: "image/png", url: "x" };
    const run = (execute: () => unknown) => kitWith(execute).tools()[0]?.execute({}, context) as Promise<unknown>;
    expect(await run(() => "text")).toBe("text");
    expect(await run(() => [{ type: "text", text: "a" }])).toBe("a");
    expect(await run(() => [image])).toEqual([image]);
    expect(await run(() => undefined)).toBeUndefined();
    expect(await run(() => null)).toBeNull();
    expect(
      await run(async function* () {
        yield "a";
        yield "ab";
      }),
    ).toBe("ab");
  });

  it("should carry a ToolError's words through, and the abort", async () => {
    const told = kitWith(() => {
      throw new ToolError("no such city");
    });
    await expect(told.tools()[0]?.execute({}, context)).rejects.toThrow("no such city");
    const stopped = kitWith(() => new Promise(() => {})).tools()[0];
    const signal = AbortSignal.timeout(5);
    await expect(stopped?.execute({}, { signal, callId: "c" })).rejects.toMatchObject({
      data: { type: "Interrupted" },
    });
  });

  it("should see what is registered later only when listed again", () => {
    const later = new Toolkit();
    const before = later.tools();
    later.registerToolFunction(() => 1, { name: "x", description: "d" });
    expect([before.length, later.tools().length]).toEqual([0, 1]);
  });
});

it("should be callable from its registration, validated all the same", async () => {
  const kit = kitWith(({ n }: { n: number }) => n + 1, {
    jsonSchema: { type: "object", properties: { n: { type: "integer" } } },
  });
  const responses = [];
  for await (const response of kit.registered.get("t")?.call({ arguments: { n: "1" } }) ?? []) responses.push(response);
  expect(responses).toMatchObject([{ data: 2, isLast: true }]);
});
