import { parse } from "@toolglot/attp";
import { attpJavascriptPrompt, attpPrompt } from "@toolglot/prompts/attp";
import { describe, expect, it } from "vitest";

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown;

describe.each(["zh", "en"] as const)("%s", (locale) => {
  const single = attpJavascriptPrompt.build({ toolsText: "TOOLS", locale, mode: "single" });

  it("should differ from the prompt for Python where the language does, and nowhere else", () => {
    const python = attpPrompt.build({ toolsText: "TOOLS", locale, mode: "single" }).split("\n");
    const lines = single.split("\n");
    expect({
      only: lines.filter((line) => !python.includes(line)),
      without: python.filter((line) => !lines.includes(line)),
    }).toMatchSnapshot();
  });

  it("should add the same in loop mode, but for the libraries of Python", () => {
    const addendum = (prompt: typeof attpPrompt): string =>
      prompt
        .build({ toolsText: "", locale, mode: "loop" })
        .slice(prompt.build({ toolsText: "", locale, mode: "single" }).length);
    const [more, ...rest] = addendum(attpPrompt)
      .replace(`${addendum(attpJavascriptPrompt)}\n`, "")
      .split("\n");
    expect(more).toMatch(/^- .*[:：] ?typing, collections, .*, unicodedata$/);
    expect(rest).toEqual([]);
  });

  it("should show programs that JavaScript accepts", () => {
    const codes = parse(single, { language: "javascript" }).blocks.flatMap(({ toolCall }) => toolCall?.code ?? []);
    expect(codes).toHaveLength(2);
    for (const code of codes) expect(() => new AsyncFunction(code)).not.toThrow();
  });
});
