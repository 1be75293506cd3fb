import type { Action, Executor } from "@toolglot/core";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const edit = (src: string, find: string, replace: string): string =>
  `<edit><file src="${src}"><find>${find}</find><replace>${replace}</replace></file></edit>`;

/** Tools of another place: they wait for a little, and count how many of them run. */
function foreign(): { toolkit: Toolkit; most(): number } {
  let running = 0;
  let most = 0;
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "wait_for",
      description: "Waits.",
      args: { ms: "integer", "note?": "string" },
      execute: async ({ ms, note }) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, ms));
        running -= 1;
        return `waited ${ms} ${note ?? ""}`;
      },
    }),
  );
  return { toolkit, most: () => most };
}

describe("Execution: the order of a block", () => {
  it("the rest of a block runs in parallel up to a bound", async () => {
    const { toolkit, most } = foreign();
    const { tell } = await openSession({
      others: toolkitExecutor(toolkit),
      declared: toolkit.tools(),
      maxConcurrency: 3,
    });
    const { results } = await tell(`<tools>${'<wait_for ms="60"/>'.repeat(10)}</tools>`);
    expect(results.map(({ status }) => status)).toEqual(new Array(10).fill("ok"));
    expect(most()).toBe(3);
  });

  it("results come back in document order, whichever ends first", async () => {
    const { toolkit } = foreign();
    const { tell } = await openSession({
      others: toolkitExecutor(toolkit),
      declared: toolkit.tools(),
      files: { "a.txt": "content\n" },
    });
    const { results, context } = await tell(
      '<tools><wait_for ms="400" note="slow"/><read><file src="a.txt"/></read><wait_for ms="1" note="fast"/><command>echo last</command></tools>',
    );
    expect(results.map(({ tool, index }) => [tool, index])).toEqual([
      ["wait_for", 0],
      ["read", 1],
      ["wait_for", 2],
      ["command", 3],
    ]);
    for (const [index, part] of ["slow", "content", "fast", "last"].entries()) {
      expect(results[index]?.text).toContain(part);
    }
    const ends = context.events.flatMap((event) => (event.type === "tool-call-end" ? [event.name] : []));
    expect(ends[0]).not.toBe("wait_for 0");
    expect(ends.at(-1)).toBe("command");
  });

  it("edits of one file are serial: in several <edit> tags each finds what those before it left", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "1\n" } });
    const { results, text } = await tell(
      `<tools>${edit("a.txt", "1", "2")}${edit("./a.txt", "2", "3")}${edit(work.at("a.txt"), "3", "4")}</tools>`,
    );
    expect(
      results.map(({ status }) => status),
      text,
    ).toEqual(["ok", "ok", "ok"]);
    expect(await work.read("a.txt")).toBe("4\n");
  });

  it("a read before an edit sees the old text, one behind it the new; commands see what stands before them", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "old text\n" } });
    const { results, text } = await tell(`<tools>
      <read><file src="a.txt"/></read>
      ${edit("a.txt", "old text", "new text")}
      <read><file src="a.txt"/></read>
      <command>cat a.txt; echo by command >> a.txt</command>
      <read><file src="a.txt"/></read>
    </tools>`);
    expect(results[0]?.text, text).toContain("old text");
    expect(results[2]?.text).toContain("new text");
    expect(results[3]?.text).toContain("new text");
    expect(results[4]?.text).toContain("by command");
    expect(await work.read("a.txt")).toBe("new text\nby command\n");
  });

  it("calls of MCP servers and custom tools run by what the host gave for them, beside the machine's own", async () => {
    const { toolkit } = foreign();
    const { tell } = await openSession({
      others: toolkitExecutor(toolkit),
      declared: toolkit.tools(),
      mcp: (server, tool) => (server === "clock" && tool === "wait" ? "wait_for" : undefined),
    });
    const { results, text } = await tell(
      '<tools><mcp server="clock" tool="wait">{"ms": 1, "note": "by mcp"}</mcp><mcp server="clock" tool="none">{}</mcp><wait_for ms="1" note="custom"/><command>echo own</command></tools>',
    );
    expect(
      results.map(({ tool, status }) => `${tool} ${status}`),
      text,
    ).toEqual(["mcp ok", "mcp error", "wait_for ok", "command ok"]);
    expect(results[0]?.text).toContain("by mcp");
    expect(results[1]?.text).toContain("none");
  });

  it("a call that nobody can run ends in an error of its own, and the others run", async () => {
    const { tell } = await openSession();
    const { results } = await tell('<tools><mcp server="s" tool="t"/><command>echo own</command></tools>');
    expect(results.map(({ status }) => status)).toEqual(["error", "ok"]);
  });

  it("an executor of the others that breaks takes nobody with it", async () => {
    const broken: Executor = {
      handles: () => true,
      execute: (_: Action) => Promise.reject(new Error("/etc/secret: broken")),
    };
    const { toolkit } = foreign();
    const { tell } = await openSession({ others: broken, declared: toolkit.tools() });
    const { results, text } = await tell('<tools><wait_for ms="1"/><command>echo own</command></tools>');
    expect(results.map(({ status }) => status)).toEqual(["error", "ok"]);
    expect(text).not.toContain("/etc/secret");
  });
});

describe("Execution: one result for each call", () => {
  const everything = `<tools>
    <command>echo out</command><command>(exit 3)</command>
    ${edit("a.txt", "old", "new")}${edit("b.txt", "none", "x")}
    <read><file src="a.txt"/></read><read><file src="gone.txt"/></read>
    <input>x</input><ctrl>c</ctrl><get_value key="K" reason="r"/><mcp server="s" tool="t"/>
  </tools>`;

  it("with its events around it, whatever becomes of it", async () => {
    const { tell } = await openSession({ files: { "a.txt": "old\n" } });
    const { raw, context } = await tell(everything);
    expect(raw).toHaveLength(10);
    expect(new Set(raw.map(({ callId }) => callId)).size).toBe(10);
    for (const { callId, name, status } of raw) {
      const own = context.events.filter((event) => event.callId === callId);
      expect(own).toMatchObject([
        { type: "tool-call-start", name },
        { type: "tool-call-end", name, status },
      ]);
    }
  });

  it("also when it was stopped before anything began: nothing runs", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "old\n" } });
    const { raw } = await tell(`<tools><command>echo ran > ran.txt</command>${edit("a.txt", "old", "new")}</tools>`, {
      signal: AbortSignal.abort(),
    });
    expect(raw.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    expect([await work.has("ran.txt"), await work.read("a.txt")]).toEqual([false, "old\n"]);
  });

  it("blocks that are run at one time share the shell in turn: no output goes to another's result", async () => {
    const { tell } = await openSession();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        tell(
          `<tools><command>echo a${index}; sleep 0.0${index % 3}; echo b${index}; (exit ${index})</command></tools>`,
        ),
      ),
    );
    for (const [index, { results }] of all.entries()) {
      expect(results[0]?.exit).toBe(index);
      expect(results[0]?.text.match(/^[ab]\d$/gm)).toEqual([`a${index}`, `b${index}`]);
    }
  });
});

describe("Finding and reading the block", () => {
  it("a message may have several blocks, fenced or not: all of them run, in order", async () => {
    const { tell } = await openSession();
    const { results } = await tell(
      "First:\n```xml\n<tools><command>X=1; echo one</command></tools>\n```\nthen\n<tools><command>echo two $X</command></tools>\n",
    );
    expect(results.map(({ text }) => text.trim())).toEqual(["one", "two 1"]);
  });

  it("a cut-off message: complete calls run, the cut one never does", async () => {
    const { tell, work } = await openSession();
    const { raw } = await tell("<tools><command>echo one > one.txt</command><command>echo two > two.txt; rm -rf ./on");
    expect(raw).toHaveLength(1);
    expect([await work.has("one.txt"), await work.has("two.txt")]).toEqual([true, false]);
  });

  it("a command's common indentation is taken off, a heredoc keeps its own", async () => {
    const { tell, work } = await openSession();
    await tell(`<tools>
      <command>
        cat > a.yml <<'END'
        top:
          inner: 1
        END
        echo done
      </command>
    </tools>`);
    expect(await work.read("a.yml")).toBe("top:\n  inner: 1\n");
  });
});
