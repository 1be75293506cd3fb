import type { ToolDefinition } from "@toolglot/core";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { parse, serialize, type ToolsXmlCall, toolsxmlProtocol } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";

const search: ToolDefinition = {
  name: "search_web",
  description: "Searches the web.",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", default: 5 } },
    required: ["query"],
  },
  examples: [{ input: { query: 'R&D "reports"', limit: 3 } }],
};

const withoutSpans = (calls: readonly ToolsXmlCall[] = []): object[] => calls.map(({ span, ...call }) => call);

describe.each(["zh", "en"] as const)("the blocks of the %s prompt", (locale) => {
  const { blocks, diagnostics } = parse(toolsxmlPrompt.build({ toolsText: "", locale, mode: "loop" }));

  it("are a template, one call and two calls, and nothing else in it is one", () => {
    expect(blocks.map(({ status, calls, comments }) => [status, calls.length, comments.length])).toEqual([
      ["complete", 0, 1],
      ["complete", 1, 0],
      ["complete", 2, 0],
    ]);
    expect(diagnostics).toEqual([]);
  });

  it("say what they are there to show", () => {
    expect(withoutSpans(blocks[1]?.calls)).toEqual([{ tool: "read", files: [{ src: "package.json" }], searches: [] }]);
    expect(withoutSpans(blocks[2]?.calls)).toEqual([
      {
        tool: "edit",
        files: [
          {
            src: "src/config.ts",
            edits: [
              {
                find: 'const API_URL = "http://localhost:3000";',
                replace: 'const API_URL = "https://api.production.com";',
              },
            ],
          },
        ],
      },
      { tool: "command", script: 'cd docs && grep -rn "localhost" . 2>/dev/null | head -20' },
    ]);
  });

  it("survive being written anew", () => {
    for (const block of blocks)
      expect(withoutSpans(parse(serialize(block)).blocks[0]?.calls)).toEqual(withoutSpans(block.calls));
  });

  it("stand beside the manual of the tools, whose call is read as its input", () => {
    const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
    const instructions = protocol.instructions([search], { locale, mode: "single" });
    expect(instructions).toContain(protocol.renderTools([search], { locale }));
    const found = parse(instructions, { tools: [search] });
    expect(found.diagnostics).toEqual([]);
    expect(found.blocks).toHaveLength(4);
    expect(withoutSpans(found.blocks[1]?.calls)).toEqual([
      { tool: "custom", name: "search_web", input: { query: 'R&D "reports"', limit: 3 } },
    ]);
  });
});
