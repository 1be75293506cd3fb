import { chmod, stat } from "node:fs/promises";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { localExecutor } from "../../src/index.ts";
import { listeningContext } from "../support/context.ts";
import { actionOf, openSession } from "../support/session.ts";

const edit = (src: string, find: string, replace: string): string =>
  `<edit><file src="${src}"><find>${find}</find><replace>${replace}</replace></file></edit>`;

describe("introduction", () => {
  it("the model asks for concrete operations, such as changing files and running commands, by a block in the `tools` field of its response", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
    const tools = `<tools>${edit("a.txt", "old", "new")}<command>cat a.txt; echo done</command></tools>`;
    const { results, text } = await tell(JSON.stringify({ reply: "I change it.", tools }));
    expect(
      results.map(({ tool, status }) => `${tool} ${status}`),
      text,
    ).toEqual(["edit ok", "command ok"]);
    expect(results[1]?.text).toContain("new\ndone");
    expect(await work.read("a.txt")).toBe("new\n");
  });
});

describe("principle 1", () => {
  it("XML says what is to be done, not how: line ends, byte order mark and mode of the file are the system's business", async () => {
    const { tell, work } = await openSession({ files: { "run.sh": "\ufeffecho one\r\necho two\r\n" } });
    await chmod(work.at("run.sh"), 0o750);
    const { results, text } = await tell(`<tools>${edit("run.sh", "echo one\necho two", "echo 1\necho 2")}</tools>`);
    expect(results[0]?.status, text).toBe("ok");
    expect(await work.read("run.sh")).toBe("\ufeffecho 1\r\necho 2\r\n");
    expect((await stat(work.at("run.sh"))).mode & 0o777).toBe(0o750);
  });
});

describe("principle 2", () => {
  it.each([
    ["a <find> without <replace>", `<edit><file src="a.txt"><find>old</find></file></edit>`],
    ["a <file> without src", "<edit><file><find>old</find><replace>new</replace></file></edit>"],
    ["an unknown tag", "<erase>a.txt</erase>"],
    ["an empty command", "<command>  </command>"],
  ])(
    "every operation and parameter has its place and type, so that a block is checked first: with %s nothing of it runs, and the model is told",
    async (_, wrong) => {
      const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
      const { raw, text } = await tell(`<tools><command>echo ran > ran.txt</command>${wrong}</tools>`);
      expect(raw).toEqual([]);
      expect(text).not.toBe("");
      expect(await work.has("ran.txt")).toBe(false);
      expect(await work.read("a.txt")).toBe("old\n");
    },
  );

  it.each([
    ["a script that is no text", "command", { script: 7 }],
    ["no script", "command", {}],
    ["an input that is no object", "command", "ls"],
    ["edits that are no list", "edit", { files: [{ src: "a.txt", edits: "old" }] }],
    ["a line that is no number", "read", { files: [{ src: "a.txt", from: "one" }] }],
    ["nothing to read", "read", { files: [], searches: [] }],
    ["a key that is none", "ctrl", { key: "enter" }],
    ["no data", "input", {}],
  ])(
    "every operation and parameter has a type: %s is an error result, whoever made the call",
    async (_, name, input) => {
      const { executor, work } = await openSession({ files: { "a.txt": "old\n" } });
      const call = { id: "1", name, input, protocol: "native" };
      const action = { kind: "calls" as const, calls: [call], span: { start: 0, end: 0 } };
      const results = await executor.execute(action, listeningContext().given);
      expect(results).toMatchObject([{ callId: "1", name, status: "error", error: { message: expect.any(String) } }]);
      expect(await work.read("a.txt")).toBe("old\n");
    },
  );
});

/** Two calls that end only when both have begun: a meeting that never comes about is an error. */
function meeting(readOnlyHint: boolean): Toolkit {
  let arrived = 0;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "meet",
      description: "Waits for the other.",
      args: { who: "string" },
      annotations: { readOnlyHint },
      execute: async ({ who }) => {
        if (++arrived === 2) open();
        const alone = new Promise((_, reject) => setTimeout(reject, 5_000, new Error("nobody came")).unref());
        await Promise.race([all, alone]);
        return `${who} met`;
      },
    }),
  );
  return toolkit;
}

describe("principle 3", () => {
  it("<tools> may hold several different tool tags", async () => {
    const { tell } = await openSession({ files: { "a.txt": "old\n", "b.txt": "b\n" } });
    const { results } = await tell(
      `<tools><command>echo c</command>${edit("a.txt", "old", "new")}<read><file src="b.txt"/></read></tools>`,
    );
    expect(results.map(({ tool, index, status }) => [tool, index, status])).toEqual([
      ["command", 0, "ok"],
      ["edit", 1, "ok"],
      ["read", 2, "ok"],
    ]);
  });

  it.each([true, false])("several tools of one block may run in parallel (readOnlyHint: %s)", async (readOnly) => {
    const toolkit = meeting(readOnly);
    const { tell } = await openSession({ others: toolkitExecutor(toolkit), declared: toolkit.tools() });
    const { results, text } = await tell('<tools><meet who="Ada"/><meet who="Bo"/></tools>');
    expect(
      results.map(({ status }) => status),
      text,
    ).toEqual(["ok", "ok"]);
    expect(results.map((result) => result.text.includes(["Ada", "Bo"][result.index] as string))).toEqual([true, true]);
  });

  it("reads of one block are under way at one time", async () => {
    const { tell } = await openSession({ files: { "a.txt": "a\n".repeat(50_000), "b.txt": "b\n".repeat(50_000) } });
    const { context } = await tell('<tools><read><file src="a.txt"/></read><read><file src="b.txt"/></read></tools>');
    const order = context.events.flatMap(({ type }) => (type.startsWith("tool-call-") ? [type] : []));
    expect(order).toEqual(["tool-call-start", "tool-call-start", "tool-call-end", "tool-call-end"]);
  });
});

describe("principle 4", () => {
  it("a block is stateless: run again by a new executor it does what it did, and remembers nothing of the first time", async () => {
    const { local, work } = await openSession({ files: { "a.txt": "end\n" } });
    const message = `<tools>${edit("a.txt", "end", "more, end")}<command>echo x >> log.txt</command></tools>`;
    for (const log of ["x\n", "x\nx\n"]) {
      const results = await localExecutor(local).execute(actionOf(message), listeningContext().given);
      expect(results.map(({ status }) => status)).toEqual(["ok", "ok"]);
      expect(await work.read("log.txt")).toBe(log);
    }
    expect(await work.read("a.txt")).toBe("more, more, end\n");
  });

  it("state is kept by the model's study of the last results: no tool demands that another was called before", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "never read\n" } });
    const { results } = await tell(`<tools>${edit("a.txt", "never read", "edited")}</tools>`);
    expect(results[0]?.status).toBe("ok");
    expect(await work.read("a.txt")).toBe("edited\n");
  });
});

describe("root element", () => {
  it("every call must be wrapped in a <tools> element: one outside it is text, and is not run", async () => {
    const { tell, work } = await openSession();
    const { raw, text } = await tell("I run this:\n<command>echo ran > ran.txt</command>\n");
    expect(raw).toEqual([]);
    expect(text).not.toContain('tool="command"');
    expect(await work.has("ran.txt")).toBe(false);
  });

  it("example: a block that holds only a comment is complete, and does nothing", async () => {
    const { tell } = await openSession();
    const { raw, blocks } = await tell("<tools>\n  <!-- 在这里放置一个或多个工具调用 -->\n</tools>");
    expect(blocks).toMatchObject([{ status: "complete", calls: [] }]);
    expect(raw).toEqual([]);
  });
});
