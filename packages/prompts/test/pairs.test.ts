import { parse as parseAttp } from "@toolglot/attp";
import type { Diagnostic, Locale, PromptBuilder, ProtocolMode } from "@toolglot/core";
import { attpJavascriptPrompt, attpJavascriptRouterPrompt, attpPrompt, attpRouterPrompt } from "@toolglot/prompts/attp";
import { dialectsPrompt } from "@toolglot/prompts/dialects";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { parse as parseTam } from "@toolglot/tam";
import { parse as parseToolsXml } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";
import { identifiers } from "./identifiers.ts";

// Both sides of what belongs together: what a prompt teaches and what the parser reads; what it says in English and in Chinese.

/** What a parser reads of a whole prompt: calls, without where they stand, and what it found wrong. */
interface Read {
  shown: unknown[];
  diagnostics: Diagnostic[];
}
const documents = /```toml\n[\s\S]*?\n```/g;
const withoutSpans = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (/span|^raw$|^comments?$/i.test(key) ? undefined : one)));
const attp =
  (language: "python" | "javascript") =>
  (text: string): Read => {
    const read = (text.match(documents) ?? []).map((document) => parseAttp(document, { language }));
    return {
      shown: read.flatMap(({ blocks }) =>
        blocks.map(({ status, toolCall }) => [status, toolCall?.status, Object.keys(toolCall ?? {})]),
      ),
      diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
    };
  };
const taught: Record<string, [prompt: PromptBuilder, read: (text: string) => Read, least: number]> = {
  attpPrompt: [attpPrompt, attp("python"), 3],
  attpRouterPrompt: [attpRouterPrompt, attp("python"), 3],
  attpJavascriptPrompt: [attpJavascriptPrompt, attp("javascript"), 3],
  attpJavascriptRouterPrompt: [attpJavascriptRouterPrompt, attp("javascript"), 3],
  // The form of a call stands with the tools.
  dialectsPrompt: [dialectsPrompt, () => ({ shown: [], diagnostics: [] }), 0],
  tamPrompt: [
    tamPrompt,
    (text) => {
      const { blocks, diagnostics } = parseTam(text);
      const step = ({ tool, params, onError, retry }: (typeof blocks)[number]["steps"][number]) => [
        tool,
        Object.keys(params),
        onError,
        retry,
      ];
      return { shown: blocks.slice(1).map(({ status, steps }) => [status, steps.map(step)]), diagnostics };
    },
    2,
  ],
  toolsxmlPrompt: [
    toolsxmlPrompt,
    (text) => {
      const { blocks, diagnostics } = parseToolsXml(text);
      return { shown: blocks.map(({ status, calls }) => [status, withoutSpans(calls)]), diagnostics };
    },
    3,
  ],
};

describe.each(Object.entries(taught))("%s", (_name, [prompt, read, least]) => {
  const texts = (locale: Locale): string[] =>
    (["single", "loop"] as const).flatMap((mode: ProtocolMode) =>
      [{}, ...(prompt.forProtocol.startsWith("attp") ? [{ session: true }] : [])].map((more) =>
        prompt.build({ toolsText: "TOOLS", locale, mode, ...more }),
      ),
    );

  it.each(["en", "zh"] as const)("what is taught / what is read, without a finding: %s", (locale) => {
    for (const text of texts(locale)) {
      const { shown, diagnostics } = read(text);
      expect(diagnostics).toEqual([]);
      expect(shown.length).toBeGreaterThanOrEqual(least);
    }
  });

  it("English / Chinese: the same examples, headings, fences, lines, identifiers and numbers", () => {
    const [en, zh] = [texts("en"), texts("zh")];
    const headings = (text: string): string[] => text.split("\n").flatMap((line) => /^#+(?= )/.exec(line)?.[0] ?? []);
    const fences = (text: string): number => text.split("\n").filter((line) => line.startsWith("```")).length;
    for (const [at, text] of en.entries()) {
      const twin = zh[at] ?? "";
      expect(read(text).shown).toEqual(read(twin).shown);
      expect(headings(text)).toEqual(headings(twin));
      expect([fences(text), text.split("\n").length]).toEqual([fences(twin), twin.split("\n").length]);
      expect(identifiers(text).sort()).toEqual(identifiers(twin).sort());
    }
  });
});
