import { rounds } from "@toolglot/internal/testing";
import { cut } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createParser } from "../src/index.ts";
import { read, readChunks, readTools } from "./read-chunks.ts";

/** `.ci/run` tries five times as many. */
const times = rounds(1, 5);

const scripts = (text: string): unknown[] => read(text).calls.map((call) => "script" in call && call.script);

describe("the indentation of a script", () => {
  it.each([
    ["<tools>\n<command>echo 'root:\n  child: 1' > x</command>\n</tools>", "echo 'root:\n  child: 1' > x"],
    ["<tools>\n  <command>if x\n    a\n  fi</command>\n</tools>", "if x\n  a\nfi"],
    ["<tools>\n  <command>if x\n    a\n      b</command>\n</tools>", "if x\n  a\n    b"],
    ["<tools>\n    <command>echo 'a:\n  b: 1'\n  ls</command>\n</tools>", "echo 'a:\nb: 1'\nls"],
    ["<tools>\n    <command>echo 'a:\n  b: 1\n'</command>\n</tools>", "echo 'a:\n  b: 1\n'"],
    ["  <tools><command>if x\n    a\n  fi</command></tools>", "if x\n  a\nfi"],
    ["Now: <tools><command>a\n  b</command></tools>", "a\n  b"],
    ["<tools>\n\t<command>a\n\t\tb</command>\n</tools>", "a\n\tb"],
    ["<tools>\n<command>\n    a\n      b\n</command>\n</tools>", "a\n  b"],
    ["<tools>\r\n  <command>a\r\n    b</command>\r\n</tools>", "a\n  b"],
  ])("that begins on the line of its tag is that line's at most, elsewhere the common one: %j", (text, script) => {
    expect(scripts(text)).toEqual([script]);
  });
});

const line = fc.constantFrom(
  "a",
  "  a",
  "\ta",
  "",
  "  ",
  "&lt; b",
  "a < b",
  "<b>",
  "</b>",
  "<input>",
  "  <edit>",
  "<![CDATA[x]]>",
  "a\r",
);
const lines = fc.array(line, { maxLength: 6 }).map((all) => all.join("\n"));

describe("the deltas of a script", () => {
  it.each(["", "\n", "\n  a\n", "\r\n"])("come line by line once no indentation is taken off, after %j", (start) => {
    const text = `<tools>\n<command>${start}${"echo line of a script\n".repeat(200)}</command></tools>`;
    let deltas = 0;
    let sum = "";
    const parser = createParser({
      onEvent: (event) => {
        if (event.type !== "body-delta") return;
        deltas += 1;
        sum += event.text;
      },
    });
    for (const chunk of cut(text, [8])) parser.feed(chunk);
    expect(parser.end().blocks[0]?.calls).toMatchObject([{ script: sum }]);
    expect(deltas).toBeGreaterThan(400);
  });

  it("are its text, whatever the chunks", () => {
    const layout = fc.constantFrom("<tools>", "<tools>\n", "  <tools>\n  ", "x <tools>\n\t");
    const after = fc.constantFrom("</command>\n</tools>", "</tools>", "\n<command>ls</command></tools>", "");
    fc.assert(
      fc.property(layout, lines, after, fc.integer({ min: 1, max: 5 }), (before, script, behind, size) => {
        const text = `${before}<command>${script}${behind}`;
        const whole = readChunks([text]);
        expect(readChunks(cut(text, [size]))).toEqual(whole);
        const { blocks } = whole.result;
        const told = whole.events.flatMap((event) =>
          event.type === "body-delta" && event.call === 0 ? [event.text] : [],
        );
        const [call] = blocks[0]?.calls ?? [];
        if (blocks[0]?.status === "complete" && call?.tool === "command") expect(told.join("")).toBe(call.script);
      }),
      { numRuns: 60 * times },
    );
  });
});

describe("quotes around attributes", () => {
  it.each([
    "“src”",
    "‘src’",
    "„src“",
    "「src」",
    "『src』",
    "«src»",
    "»src«",
    "‹src›",
    "＂src＂",
    "＇src＇",
    "〝src〞",
    "《src》",
    "`src`",
  ])("of print or of other scripts are read, with a warning: %s", (quoted) => {
    expect(readTools(`<command cwd=${quoted}>ls</command>`)).toEqual({
      status: "recovered",
      calls: [{ tool: "command", script: "ls", cwd: "src" }],
      codes: ["toolsxml/curly-quotes"],
    });
  });

  it.each(["“src”", "『src』", "'src'", "«src»", "a\nb"])("within plain ones hold the call back: %j", (value) => {
    const { result } = readChunks([`<tools>\n<command cwd="${value}">ls</command>\n</tools>`]);
    expect(result.diagnostics).toMatchObject([{ code: "toolsxml/curly-quotes", affects: "value" }]);
    expect(result.blocks[0]?.calls).toMatchObject([{ cwd: value }]);
  });

  it("are said where words stand", () => {
    const { result } = readChunks(["<tools>\n<search query='“a b”'/>\n</tools>"]);
    expect(result.diagnostics).toMatchObject([{ code: "toolsxml/curly-quotes", affects: "none" }]);
  });
});
