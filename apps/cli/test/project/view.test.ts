import type { ToolResult } from "@toolglot/core";
import { expect, it } from "vitest";
import { diffLines } from "../../src/view/diff.ts";
import { endText, localCallText, localResultLines } from "../../src/view/local-result.ts";
import { styleFor } from "../../src/view/style.ts";
import { TerminalView } from "../../src/view/terminal-view.ts";

const plain = styleFor({}, {});
const coloured = styleFor({ isTTY: true }, {});

function result(name: string, text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { callId: "1", name, status: "ok", content: [{ type: "text", text }], ...more };
}

it("should colour a diff by what came and what went, and let nothing in it act on the terminal", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n same\n-old \u001b[2J\n+new\n--- gone\n";
  expect(diffLines(diff, plain)).toEqual([
    "--- a/x",
    "+++ b/x",
    "@@ -1,3 +1,2 @@",
    " same",
    "-old �[2J",
    "+new",
    "--- gone",
  ]);
  const lines = diffLines(diff, coloured);
  expect(lines[4]).toBe(coloured.bad("-old �[2J"));
  expect(lines[5]).toBe(coloured.good("+new"));
  expect(lines[6]).toBe(coloured.bad("--- gone"));
});

it("should show the last lines of an output, and say how many stand before them", () => {
  const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
  const lines = localResultLines(result("command", text), plain);
  expect(lines[0]).toBe("… 16 lines");
  expect(lines.at(-1)).toBe("line 29");
  expect(localResultLines(result("command", "\u001b]0;title\u0007"), plain)).toEqual(["�]0;title�"]);
});

it("should show of an edit what changed, of a read only what was read, of an error its words", () => {
  const edited = "Changed a.js: 1 replacement (+1 -1)\n--- a/a.js\n+++ b/a.js\n@@ -1,1 +1,1 @@\n--- a\n+b";
  expect(localResultLines(result("edit", edited), plain)).toEqual([
    "Changed a.js: 1 replacement (+1 -1)",
    "@@ -1,1 +1,1 @@",
    "--- a",
    "+b",
  ]);
  const read = "==> a.js: 2 lines <==\nsecret\n\n==> b: empty directory <==";
  expect(localResultLines(result("read", read), plain)).toEqual(["a.js: 2 lines", "b: empty directory"]);
  const error = { type: "FindMissing", message: "not there\n\u001b[31mred" };
  expect(localResultLines(result("edit", "", { status: "error", error }), plain)).toEqual(["not there", "�[31mred"]);
});

it("should say how a command ended", () => {
  const ended = (metadata: Record<string, unknown>, more: Partial<ToolResult> = {}): string =>
    endText(result("command", "", { metadata, ...more }));
  expect(ended({ exit: 0 })).toBe("exit 0");
  expect(ended({ exit: 130 }, { status: "error", error: { type: "CommandFailed", message: "" } })).toBe("exit 130");
  expect(ended({ waiting: "input" }, { status: "pending" })).toBe("waiting for input");
  expect(ended({}, { status: "pending" })).toBe("running");
  expect(ended({}, { status: "error", error: { type: "ShellBusy", message: "" } })).toBe("ShellBusy");
});

it("should name a call as a person would, whatever the model wrote", () => {
  expect(localCallText("command", { script: "npm test" })).toBe("$ npm test");
  expect(localCallText("input", { data: "y\n" })).toBe('input "y\\n"');
  expect(localCallText("read", { files: [{ src: "a" }], searches: [{ pattern: "b" }] })).toBe("read a, /b/");
  for (const input of [undefined, null, 5, { files: "x" }, { files: [{}], searches: [null] }]) {
    expect(() => localCallText("read", input)).not.toThrow();
  }
});

it("should show what a command prints while it runs, and at its end only the rest", () => {
  let drawn = "";
  const view = new TerminalView({ write: (text) => (drawn += text), columns: () => 60, style: plain, live: true });
  const call = { callId: "1", name: "command" };
  const end = (text: string): ToolResult => result("command", text, { metadata: { exit: 0, ms: 5 } });
  const finish = (text: string): string => {
    view.event({
      type: "action-end",
      action: { kind: "calls", calls: [], span: { start: 0, end: 0 } },
      results: [end(text)],
    } as never);
    const all = drawn;
    drawn = "";
    return all;
  };
  const start = (): void => view.event({ type: "tool-call-start", ...call, input: { script: "npm test" } } as never);
  const progress = (data: unknown): void => view.event({ type: "tool-call-progress", ...call, data } as never);
  start();
  progress({ output: "one\n" });
  expect(drawn).toBe("  · $ npm test\n    one");
  progress({ output: "\u001b[2Jtwo\n" });
  expect(finish("one\n\u001b[2Jtwo\nthree\n[a note]")).toBe(
    "  · $ npm test\n    one\n    �[2Jtwo\n  ✓ exit 0, 5 ms\n    three\n    [a note]\n\n",
  );
  // A line that was written anew is no beginning of the result; neither is what was cut.
  start();
  progress({ output: "10%" });
  progress({ output: 5 });
  expect(finish("100%")).toBe("  · $ npm test\n    10%\n  ✓ exit 0, 5 ms\n    100%\n\n");
  start();
  progress({ output: "x".repeat(9000) });
  progress({ output: "end\n" });
  expect(finish("end")).toBe("  · $ npm test\n    end\n  ✓ exit 0, 5 ms\n\n");
});
