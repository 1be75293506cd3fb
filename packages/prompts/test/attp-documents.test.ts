import { attpProtocol, parse, serialize } from "@toolglot/attp";
import type { ToolDefinition } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { describe, expect, it } from "vitest";

const fenced = /```toml\n[\s\S]*?\n```/g;

describe.each(["zh", "en"] as const)("the documents of the %s prompt", (locale) => {
  const documents = attpPrompt.build({ toolsText: "", locale, mode: "single" }).match(fenced) ?? [];

  it("are a template and two examples, one to run and one to decline", () => {
    const statuses = documents.map((document) => parse(document).blocks[0]?.toolCall?.status);
    expect(statuses).toEqual(["success", "success", "fail"]);
  });

  it("are what the parser takes without a word", () => {
    for (const document of documents) {
      const { blocks, diagnostics } = parse(document);
      expect(blocks.map(({ status }) => status)).toEqual(["complete"]);
      expect(diagnostics).toEqual([]);
    }
  });

  it("survive being written anew", () => {
    for (const document of documents) {
      const [block] = parse(document).blocks;
      if (!block?.toolCall) throw new Error("no document");
      expect(parse(serialize(block)).blocks[0]?.toolCall).toEqual(block.toolCall);
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
