import { attpProtocol, parse, serialize } from "@toolglot/attp";
import type { ToolDefinition } from "@toolglot/core";
import { attpJavascriptPrompt, attpPrompt } from "@toolglot/prompts/attp";
import { describe, expect, it } from "vitest";

const fenced = /```toml\n[\s\S]*?\n```/g;

const cases = (["zh", "en"] as const).flatMap((locale) => [
  { locale, language: "python" as const, prompt: attpPrompt },
  { locale, language: "javascript" as const, prompt: attpJavascriptPrompt },
]);

describe.each(cases)("the documents of the $locale prompt for $language", ({ locale, language, prompt }) => {
  const documents = prompt.build({ toolsText: "", locale, mode: "single" }).match(fenced) ?? [];

  it("are a template and two examples, one to run and one to decline", () => {
    const statuses = documents.map((document) => parse(document, { language }).blocks[0]?.toolCall?.status);
    expect(statuses).toEqual(["success", "success", "fail"]);
  });

  it("are what the parser takes without a word", () => {
    for (const document of documents) {
      const { blocks, diagnostics } = parse(document, { language });
      expect(blocks.map(({ status }) => status)).toEqual(["complete"]);
      expect(diagnostics).toEqual([]);
    }
  });

  it("survive being written anew", () => {
    for (const document of documents) {
      const [block] = parse(document, { language }).blocks;
      if (!block?.toolCall) throw new Error("no document");
      expect(parse(serialize(block), { language }).blocks[0]?.toolCall).toEqual(block.toolCall);
    }
  });
});

it("should take the protocol's tool text in its place", () => {
  const tool: ToolDefinition = {
    name: "search_web",
    description: "Searches the web.",
    inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  };
  const protocol = attpProtocol({ prompt: attpPrompt });
  for (const locale of ["zh", "en"] as const) {
    const prompt = protocol.instructions([tool], { locale, mode: "loop" });
    expect(prompt).toContain(protocol.renderTools([tool], { locale }));
    expect(prompt).toContain("def search_web(query: str)");
  }
});

it("should take declarations in the prompt for JavaScript, and refuse to mix the two", () => {
  const protocol = attpProtocol({ prompt: attpJavascriptPrompt, language: "javascript" });
  const tool: ToolDefinition = { name: "now", description: "The time.", inputSchema: { type: "object" } };
  for (const locale of ["zh", "en"] as const) {
    const prompt = protocol.instructions([tool], { locale, mode: "loop" });
    expect(prompt).toContain(protocol.renderTools([tool], { locale }));
    expect(prompt).toContain("declare function now(): Promise<unknown>;");
    expect(prompt).not.toContain("Python");
  }
  expect(() => attpProtocol({ prompt: attpJavascriptPrompt })).toThrow(/"attp-js\/1", not "attp\/1"/);
  expect(() => attpProtocol({ prompt: attpPrompt, language: "javascript" })).toThrow(/attpJavascriptPrompt/);
});
