import { readFileSync } from "node:fs";
import type { Locale, ProtocolMode } from "@toolglot/core";
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
  it("says in loop mode what comes back and how to end", () => {
    const addendum = build("en", "loop").slice(build("en", "single").length);
    expect(addendum).toContain("`[tool_result]`");
    expect(addendum).toContain("send another document");
    expect(addendum).toContain("answer the user in plain text, without a document");
  });
});
