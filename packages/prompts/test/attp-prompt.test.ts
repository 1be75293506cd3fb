import { readFileSync } from "node:fs";
import type { Locale, PromptBuilder, ProtocolMode } from "@toolglot/core";
import { promptList } from "@toolglot/prompts";
import { attpPrompt } from "@toolglot/prompts/attp";
import { describe, expect, it } from "vitest";

const specification = readFileSync(new URL("./__fixtures__/attp-specification.zh.md", import.meta.url), "utf8");

/** The specification's template: all that follows the heading and the (never closed) markdown fence around it. */
function specifiedTemplate(): string {
  const [, section = ""] = specification.split("### 系统提示词模板\n\n```markdown\n");
  return section.trim();
}

const build = (locale: Locale, mode: ProtocolMode, toolsText = "TOOLS"): string =>
  attpPrompt.build({ toolsText, locale, mode });

const fences = (text: string): number => text.split("\n").filter((line) => line.startsWith("```")).length;
const headings = (text: string): string[] =>
  text.split("\n").flatMap((line) => (/^#+ /.exec(line) ? [(/^#+/.exec(line) ?? [""])[0]] : []));

describe("Chinese", () => {
  it("is the specification's template, word for word, in single mode", () => {
    expect(specifiedTemplate()).toMatch(/^# ATTP 协议[\s\S]*\n```$/);
    expect(build("zh", "single", "TOOLS")).toBe(specifiedTemplate().replace("{{AVAILABLE_TOOLS}}", "TOOLS"));
  });

  it("holds both of the specification's examples", () => {
    const prompt = build("zh", "single");
    expect(prompt).toContain('__result__ = search_web("Python异步编程", max_results=3)');
    expect(prompt).toContain('status = "fail"\nmessage = "当前可用的工具列表中没有文件删除功能。');
  });

  it("adds to it, and changes nothing of it, in loop mode", () => {
    const single = build("zh", "single");
    const loop = build("zh", "loop");
    expect(loop.startsWith(`${single}\n\n## `)).toBe(true);
    expect(loop.slice(single.length)).toContain("`[tool_result]`");
    expect(loop.slice(single.length)).toContain("纯文本");
  });
});

describe("English", () => {
  it("has the structure of the Chinese prompt, in both modes", () => {
    for (const mode of ["single", "loop"] as const) {
      expect(headings(build("en", mode))).toEqual(headings(build("zh", mode)));
      expect(fences(build("en", mode))).toBe(fences(build("zh", mode)));
      expect(build("en", mode).split("\n").length).toBe(build("zh", mode).split("\n").length);
    }
  });

  it("keeps every identifier, key and number of the Chinese prompt", () => {
    const words = (text: string): string[] =>
      [
        ...text.matchAll(
          /`[^`\n]+`|\b(?:tool_call|status|success|target|code|fail|message|thought)\b(?= =)|search_web|max_results=\d|\w+\d\b|__result__|math, .*statistics|[✓✗]/g,
        ),
      ].map((match) => match[0]);
    for (const mode of ["single", "loop"] as const) {
      expect(words(build("en", mode)).sort()).toEqual(words(build("zh", mode)).sort());
    }
  });

  it("is English throughout", () => {
    expect(build("en", "loop")).not.toMatch(/\p{Script=Han}|[，。：；（）]/u);
  });

  it("says in loop mode what comes back and how to end", () => {
    const addendum = build("en", "loop").slice(build("en", "single").length);
    expect(addendum).toContain("`[tool_result]`");
    expect(addendum).toContain("send another document");
    expect(addendum).toContain("answer the user in plain text, without a document");
  });
});

it("should put the tools in unchanged w/ replacement patterns and placeholders in them", () => {
  const toolsText = "def f(x): '$& $1 $` {{AVAILABLE_TOOLS}}'";
  for (const locale of ["zh", "en"] as const) {
    expect(build(locale, "single", toolsText)).toContain(`\n${toolsText}\n`);
    expect(build(locale, "single", toolsText).split(toolsText)).toHaveLength(2);
  }
});

it("should refuse a locale, a mode or a tool text it doesn't know w/ the cure", () => {
  const loose = attpPrompt as { build(options: unknown): string } as PromptBuilder & {
    build(options: unknown): string;
  };
  expect(() => loose.build({ toolsText: "", locale: "fr", mode: "loop" })).toThrow(/locale must be "zh" or "en"/);
  expect(() => loose.build({ toolsText: "", locale: "toString", mode: "loop" })).toThrow(TypeError);
  expect(() => loose.build({ toolsText: "", locale: "en", mode: "chat" })).toThrow(/mode must be "single" or "loop"/);
  expect(() => loose.build({ locale: "en", mode: "loop" })).toThrow(/renderTools/);
});

it("should list what there is w/ subpaths that can be imported", async () => {
  for (const { subpath, exportName, forProtocol, locales, modes } of promptList) {
    const builder = ((await import(/* @vite-ignore */ subpath)) as Record<string, PromptBuilder>)[exportName];
    expect(builder?.forProtocol).toBe(forProtocol);
    for (const locale of locales)
      for (const mode of modes) expect(builder?.build({ toolsText: "", locale, mode })).toBeTruthy();
  }
});
