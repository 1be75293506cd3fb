import { contentText } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { defineTool, fromMcpTool, Tasks, Toolkit, ToolResponse, toMcpTools } from "../src/index.ts";
import { inProcess, listed } from "./mcp/in-process.ts";
import { final, kitWith } from "./support.ts";

// Both sides of what belongs together: what is done on one of them is done, or undone, on the other.

const numRuns = rounds(60, 1_000);
const args = { n: "integer", "tags?": "string[]", "on?": "boolean" } as const;
const inputs = fc.record(
  {
    n: fc.oneof(fc.integer(), fc.integer().map(String), fc.constantFrom("x", 1.5, null)),
    tags: fc.oneof(
      fc.array(fc.string()),
      fc.array(fc.string()).map((all) => JSON.stringify(all)),
      fc.integer(),
    ),
    on: fc.constantFrom(true, false, "true", "False", "maybe"),
  },
  { requiredKeys: [] },
);

it("the schema that is registered / the input that a tool gets, validated and coerced, or the issues that a model reads", async () => {
  const got: unknown[] = [];
  const kit = new Toolkit();
  kit.registerToolFunction(defineTool({ name: "t", description: "d", args, execute: (input) => got.push(input) }));
  const schema = kit.registered.get("t");
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      got.length = 0;
      const before = structuredClone(input);
      const response = await final(kit, { name: "t", input });
      expect(input).toEqual(before);
      if (response.status === "ok") {
        const [value] = got as { n: number; tags?: string[]; on?: boolean }[];
        expect(Number.isInteger(value?.n)).toBe(true);
        expect([value?.n, value?.on ?? null]).toEqual([
          Number(input.n),
          input.on === undefined ? null : /true/i.test(String(input.on)),
        ]);
        expect(value?.tags).toEqual(typeof input.tags === "string" ? JSON.parse(input.tags) : input.tags);
        // The same again needs no change.
        expect(await final(kit, { name: "t", input: value as object })).toMatchObject({ status: "ok" });
        expect(got[1]).toEqual(value);
      } else {
        expect(got).toEqual([]);
        const told = contentText(response.content) + JSON.stringify(response.error);
        for (const { path } of (response.error as { issues?: { path: string }[] }).issues ?? [])
          expect(told).toContain(path);
      }
    }),
    { numRuns },
  );
  expect(schema?.definition.inputSchema).toMatchObject({ required: ["n"] });
});

it("a tool that is written as MCP's / the tool that is read from that", () => {
  const names = fc.constantFrom("File.Write", "a", "x_1");
  const hints = fc.record(
    { readOnlyHint: fc.boolean(), idempotentHint: fc.boolean(), destructiveHint: fc.boolean() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(names, fc.string(), hints, (name, description, annotations) => {
      const tool = defineTool({ name, description: `d${description}`, args, annotations, execute: () => 1 });
      const [written] = toMcpTools([tool]);
      const read = fromMcpTool(written as NonNullable<typeof written>);
      expect(read).toMatchObject({ name, description: tool.description, inputSchema: tool.inputSchema });
      expect(toMcpTools([read as never])).toEqual([written]);
    }),
    { numRuns },
  );
});

it("what an MCP tool is called with / what the server gets, and what it answers / what a model reads", async () => {
  const sent: unknown[] = [];
  const answers: unknown[] = [];
  const { client } = inProcess([listed("t")], {
    answer: (_, input) => {
      sent.push(input);
      return answers.at(-1);
    },
  });
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  const plain = fc.dictionary(fc.constantFrom("a", "b", "é x"), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(plain, fc.string(), fc.boolean(), async (input, text, isError) => {
      answers.push({ content: [{ type: "text", text }], isError });
      const response = await final(kit, { name: "t", input });
      expect(sent.at(-1)).toEqual(JSON.parse(JSON.stringify(input)));
      expect(response.status).toBe(isError ? "error" : "ok");
      expect(
        isError ? `${response.error?.message}${contentText(response.content)}` : contentText(response.content),
      ).toContain(text.trim());
    }),
    { numRuns: rounds(25, 300) },
  );
});

it("a result's content / what a model reads of it, once", async () => {
  for (const [value, read] of [
    ["text", "text"],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [new ToolResponse({ content: "words", data: { more: 1 } }), "words"],
    [0, "0"],
    ["", ""],
  ] as const) {
    const response = await final(kitWith(() => value));
    expect(contentText(response.content)).toBe(read);
  }
});

it("a group that is active / the instructions and tools of it, which are gone when it is put away", () => {
  const kit = new Toolkit();
  const groups = ["web", "mail", "disk"];
  for (const name of groups) {
    kit.createToolGroup(name, { description: name, notes: `Notes on ${name}.` });
    kit.registerToolFunction(defineTool({ name: `${name}_tool`, description: "d", execute: () => 1 }), {
      groupName: name,
    });
  }
  fc.assert(
    fc.property(fc.subarray(groups), (active) => {
      kit.updateToolGroups(groups, false);
      kit.updateToolGroups(active, true);
      const [notes, tools] = [kit.getToolGroupNotes(), kit.getJsonSchemas().map((tool) => tool.function.name)];
      for (const name of groups) {
        expect(notes.includes(`Notes on ${name}.`)).toBe(active.includes(name));
        expect(tools.includes(`${name}_tool`)).toBe(active.includes(name));
      }
    }),
  );
});

it("a task that is started / the same task, cancelled: it ends once, its tool hears of it, and its result says so", async () => {
  const heard: unknown[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const kit = new Toolkit();
  const execute = (_: object, { signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      begin();
      signal.addEventListener("abort", () => {
        heard.push(signal.reason);
        reject(signal.reason);
      });
    });
  kit.registerToolFunction(execute as never, { name: "t", description: "d" });
  const tasks = new Tasks();
  const told: string[] = [];
  tasks.events.subscribe(({ type }) => told.push(type));
  const call = { id: "c", name: "t", input: {}, protocol: "test" };
  const toResult = ({ status, content }: ToolResponse) => ({ callId: "c", status, content });
  const id = tasks.start({ call, run: (signal) => kit.callToolFunction(call, { signal }), toResult });
  expect(tasks.get(id)?.status).toBe("running");
  await begun;
  expect(tasks.cancel(id)).toBe(true);
  await tasks.idle();
  expect(tasks.get(id)).toMatchObject({ status: "cancelled", result: { status: "interrupted" } });
  expect(tasks.cancel(id)).toBe(false);
  expect(told).toEqual(["task-started", "task-failed"]);
  expect(heard).toHaveLength(1);
});
