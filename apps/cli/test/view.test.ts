import { expect, it } from "vitest";
import { clip, inputText } from "../src/view/brief.ts";
import { styleFor } from "../src/view/style.ts";
import { TerminalView } from "../src/view/terminal-view.ts";
import { visible } from "../src/view/visible.ts";
import { StreamWrap, wrapped as wrappedText } from "../src/view/wrap.ts";

function wrapped(chunks: readonly string[], width = 20): string {
  let text = "";
  const wrap = new StreamWrap({
    prefix: "| ",
    prefixWidth: 2,
    width,
    paint: (part) => part,
    write: (part) => {
      text += part;
    },
  });
  for (const chunk of chunks) wrap.feed(chunk);
  wrap.end();
  return text;
}

it("should break lines between words, and on both sides of wide characters", () => {
  expect(wrapped(["one two three four five"])).toBe("| one two three four\n| five\n");
  expect(wrapped(["销售额最高的五种商品是什么"])).toBe("| 销售额最高的五种商\n| 品是什么\n");
});

it("should keep line breaks and indentation, but none at the ends", () => {
  expect(wrapped(["\n\na:\n    b\n\n\nc\n\n"])).toBe("| a:\n|     b\n|\n|\n| c\n");
});

it("should set the same text whatever the chunks", () => {
  const text = "def f(x):\n    return x + 1  # 注释 and a rather long comment\n\n__result__ = f(2)\n";
  for (let size = 1; size < 9; size += 1) {
    expect(wrapped(text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [], 30)).toBe(wrapped([text], 30));
  }
});

it("should show control and direction characters as replacements", () => {
  expect(visible("a\u001b[31mb\u0007\u202ec\r\nd\te")).toBe("a�[31mb��c\nd\te");
});

it("should clip to columns, counting wide characters as two", () => {
  expect(clip("退款政策", 8)).toBe("退款政策");
  expect(clip("退款政策", 6)).toBe("退款…");
  expect(inputText({ sql: "SELECT\n  1", limit: 5, none: undefined })).toBe('sql="SELECT 1", limit=5');
});

it("should colour only in terminals, and never against NO_COLOR", () => {
  expect(styleFor({ isTTY: true }, {}).bad("x")).not.toBe("x");
  expect(styleFor({}, {}).bad("x")).toBe("x");
  expect(styleFor({ isTTY: true }, { NO_COLOR: "1" }).bad("x")).toBe("x");
  expect(styleFor({ isTTY: true }, { TERM: "dumb" }).bad("x")).toBe("x");
});

it("should say cancelled, and nothing of what the cancelling brought about", () => {
  let text = "";
  const view = new TerminalView({
    write: (part) => {
      text += part;
    },
    columns: () => 80,
    style: styleFor({}, {}),
  });
  const at = 0;
  const stepIndex = 0;
  view.event({ type: "run-abort", at, cause: "signal" });
  view.event({
    type: "approval-response",
    at,
    stepIndex,
    callId: "c",
    decision: { approved: false, reason: "stopped" },
  });
  const error = { type: "Aborted", message: "the run was aborted" };
  view.event({
    type: "action-end",
    at,
    stepIndex,
    results: [{ callId: "c", status: "interrupted", content: [], error }],
  });
  const transcript = { version: 1 as const, messages: [], meta: {} };
  const result = {
    runId: "r",
    status: "aborted" as const,
    text: "",
    results: [],
    transcript,
    usage: {},
    steps: [],
    undelivered: [],
    turns: 1,
    denied: 1,
  };
  view.event({ type: "run-end", at, result });
  expect(text).toBe("  cancelled\n\n");
});

it("should break notices between words at any width, and indent what follows", () => {
  const text = "/model NAME  goes to the model of that name\n  with its own price and window, as before";
  for (let width = 20; width < 90; width += 7) {
    const lines = wrappedText(text, width).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines.join(" ").replace(/\s+/g, " ")).toBe(text.replace(/\s+/g, " "));
    expect(lines.at(-1)).toMatch(/^ {2}\S/);
  }
  expect(wrappedText("a\n\n  b\n", 40)).toBe("a\n\n  b\n");
});
