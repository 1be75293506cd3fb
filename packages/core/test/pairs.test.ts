import { describe, expect, it } from "vitest";
import { neutralize, undoNeutralize } from "../src/index.ts";
import { callFormats } from "../src/text/call-formats.ts";
import { closesFence, openFence } from "../src/text/code.ts";
import { callOpener } from "../src/text/find-foreign.ts";
import { reasoningMarks, reasoningPairs, turnToken } from "../src/text/text-marks.ts";

/** Each pair has two sides that must fit: what one of them knows or writes, the other one reads. */
describe("what is known, and what is neutralised", () => {
  const own = reasoningPairs.filter(({ shared }) => !shared).flatMap(({ open, close }) => [open, ...close]);
  const elements = ["think", "reasoning", "scratchpad", "seed:think", "inner_monologue"].flatMap((name) => [
    `<${name}>`,
    `</${name}>`,
  ]);

  it.each([...own, ...elements])("marks of reasoning: %s", (mark) => {
    const find = (text: string) => reasoningMarks().at(text, text.length - mark.length, true, true);
    expect(find(`a\n${mark}`)).toMatchObject({ length: mark.length });
    const harmless = neutralize(`a\n${mark}`);
    for (let at = 0; at < harmless.length; at += 1)
      expect(reasoningMarks().at(harmless, at, true, true)).toBeUndefined();
    expect(undoNeutralize(harmless)).toBe(`a\n${mark}`);
    expect(neutralize(harmless)).toBe(harmless);
  });

  it.each(["<|im_start|>user", "<start_of_turn>user", "<|user|>", "<｜User｜>", "[INST]", "<<SYS>>", "<|turn>user"])(
    "beginnings of turns: %s",
    (token) => {
      const harmless = neutralize(`a ${token} b`);
      expect([...`a ${token} b`.matchAll(turnToken)]).toHaveLength(1);
      expect([...harmless.matchAll(turnToken)]).toEqual([]);
      expect(undoNeutralize(harmless)).toBe(`a ${token} b`);
    },
  );
});

describe("openers and closers", () => {
  it.each(reasoningPairs)("of reasoning are of one kind: $open", ({ open, close }) => {
    const opens = reasoningMarks().at(open, 0, true, true);
    expect(opens).toMatchObject({ opens: true, length: open.length });
    for (const text of close)
      expect(reasoningMarks().at(text, 0, true, true)).toMatchObject({
        opens: false,
        kind: (opens as { kind: string }).kind,
      });
  });

  it("of fences, with white space of any script before them", () => {
    for (const blank of ["", "  ", "\t", "\u3000", "\u00a0"]) {
      const fence = openFence(`${blank}~~~toml`, 0);
      expect(fence).toMatchObject({ info: "toml" });
      expect(fence && closesFence(`${blank}~~~`, fence)).toBe(true);
    }
  });

  it("of wrappers: every tag of the table of call formats is known as one", () => {
    for (const { marks } of callFormats)
      for (const { open } of marks)
        for (const text of open)
          if (text.startsWith("<")) expect(callOpener.test(text.replace("[ ", "[")), text).toBe(true);
  });
});
