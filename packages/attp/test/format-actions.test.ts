import type { Action, ProgramLanguage, PromptBuilder } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attpProtocol } from "../src/protocol.ts";

const span = { start: 0, end: 0 };
const program = (language: ProgramLanguage, source: string): Action => ({
  kind: "code",
  id: "1",
  language,
  source,
  span,
});
const marks = [
  "'''",
  '"""',
  "[tool_call]",
  "\\",
  "\r\n",
  "\t",
  "```",
  "```python\n",
  "\u0007",
  "\ud800",
  "<think>",
  "code = '''",
  "    x",
  "# ",
];
const source = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: "binary", maxLength: 6 }), fc.constant("\n")), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

describe.each([
  ["python", "attp/1"],
  ["javascript", "attp-js/1"],
] as const)("%s", (language, forProtocol) => {
  const prompt: PromptBuilder = { forProtocol, build: ({ toolsText }) => toolsText };
  const protocol = attpProtocol({ prompt, language });
  const readBack = (text: string) => {
    const parser = protocol.createParser({ tools: [] });
    parser.feed(text);
    const { blocks, diagnostics } = parser.end();
    const actions = blocks.flatMap((block) => protocol.actions(block));
    return { diagnostics, statuses: blocks.map(({ status }) => status), actions };
  };
  const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, "\ufffd");

  it("should write programs that read back as they are, or say that they can't be", () => {
    fc.assert(
      fc.property(source, fc.string(), (code, text) => {
        let written: string;
        try {
          written = protocol.formatActions([program(language, code)], { text });
        } catch (error) {
          expect(error).toMatchObject({ code: `${protocol.id}/unserializable`, data: { path: "/source" } });
          // A program of nothing is none.
          expect(code.trim()).toBe("");
          return;
        }
        const read = readBack(written);
        expect(read.diagnostics).toEqual([]);
        expect(read.statuses).toEqual(["complete"]);
        expect([code, wellFormed(code)]).toContain(
          read.actions[0]?.kind === "code" ? read.actions[0].source : undefined,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("should write a refusal, and keep the words around", () => {
    const decline: Action = { kind: "decline", message: 'No "tool"\nfor that.', span };
    const text = protocol.formatActions([decline], { text: "I looked." });
    expect(text).toContain('thought = "I looked."');
    expect(readBack(text).actions).toMatchObject([{ kind: "decline", message: decline.message }]);
  });

  it("should write calls as a program for histories alone", () => {
    const calls: Action = { kind: "calls", calls: [{ id: "1", name: "f", input: { a: 1 }, protocol: "native" }], span };
    expect(() => protocol.formatActions([calls])).toThrow(
      expect.objectContaining({ code: `${protocol.id}/unserializable` }),
    );
    const [action] = readBack(protocol.formatActions([calls], { lossy: true })).actions;
    expect(action).toMatchObject({ kind: "code", language });
  });
});
