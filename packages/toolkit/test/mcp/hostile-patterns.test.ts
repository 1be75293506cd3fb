import { ajvValidator } from "@toolglot/schema/ajv";
import { describe, expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { final, texts } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";

const hostile = ["^(a+)+$", "(a|a)*$", "(.*)*x", "([a-z]+)*\\1", "(?=(a+)+b)a", "^(\\w+\\s?)*$"];
const text = `${"a".repeat(60)}!`;
const property = (pattern: string) => ({
  type: "object" as const,
  properties: { a: { type: "string" as const, pattern }, n: { type: "integer" as const } },
});

async function quickly(body: () => Promise<void>): Promise<void> {
  const before = process.cpuUsage();
  await body();
  const { user, system } = process.cpuUsage(before);
  // Some ms, where RegExp takes longer than anybody waits.
  expect(user + system).toBeLessThan(10_000_000);
}

describe("a server's patterns hold up nothing", () => {
  it.each([
    ["the default engine", {}],
    ["ajv", { validator: ajvValidator() }],
  ])("in the input of its tools, on %s", async (_engine, options) => {
    const server = inProcess(hostile.map((pattern, index) => listed(`t${index}`, { inputSchema: property(pattern) })));
    const kit = new Toolkit(options);
    const warnings = await kit.registerMcpClient(server.client, { presetsByTool: { t0: { n: 1 } } });
    expect(warnings).toEqual([
      'Tool "t3": the patterns "([a-z]+)*\\\\1" can\'t be checked in bounded time; they are left to whoever runs the tool.',
      'Tool "t4": the patterns "(?=(a+)+b)a" can\'t be checked in bounded time; they are left to whoever runs the tool.',
    ]);
    expect(kit.registered.get("t3")?.definition.inputSchema.properties?.a).toMatchObject({ pattern: hostile[3] });
    await quickly(async () => {
      for (const [index] of hostile.entries()) {
        await final(kit, { name: `t${index}`, input: { a: text, n: "3" } });
        await final(kit, { name: `t${index}`, input: { a: text, n: "x" } });
        await final(kit, { name: `t${index}`, input: JSON.stringify({ a: [text] }) });
      }
    });
    // What can be checked, is: only where the text fits, or nothing could be checked, was the server called.
    expect(new Set(server.called)).toEqual(new Set(["t1", "t3", "t4"]));
  });

  it("in what its tools give", async () => {
    const answer = { content: [{ type: "text", text: "ok" }], structuredContent: { a: text } };
    const server = inProcess(
      hostile.map((pattern, index) => listed(`t${index}`, { outputSchema: property(pattern) })),
      { answer: () => answer },
    );
    const kit = new Toolkit();
    await kit.registerMcpClient(server.client);
    await quickly(async () => {
      for (const [index] of hostile.entries()) expect(texts([await final(kit, { name: `t${index}` })])).toEqual(["ok"]);
    });
  });

  it("in a tool of the host's that says it is a stranger's", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction({
      name: "x",
      description: "d",
      inputSchema: property("^(a+)+$"),
      untrusted: true,
      execute: () => 1,
    });
    await quickly(async () => {
      expect((await final(kit, { name: "x", input: { a: text } })).status).toBe("error");
    });
  });
});
