import type { ToolDefinition } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { bindPlan, parse, serialize, tamProtocol } from "@toolglot/tam";
import { describe, expect, it } from "vitest";

const tool: ToolDefinition = {
  name: "Search.Web",
  description: "Searches the web.",
  inputSchema: {
    type: "object",
    properties: { searchTerms: { type: "string" }, maxResults: { type: "integer", default: 5 } },
    required: ["searchTerms"],
  },
  examples: [{ input: { searchTerms: "Python", maxResults: 3 } }],
};

describe.each(["zh", "en"] as const)("the blocks of the %s prompt", (locale) => {
  const prompt = tamPrompt.build({ toolsText: "", locale, mode: "loop" });
  const { blocks, diagnostics } = parse(prompt);

  it("are a template, a call and a plan of three steps, and nothing else in it is one", () => {
    expect(blocks.map(({ status, steps }) => [status, steps.length])).toEqual([
      ["complete", 1],
      ["complete", 1],
      ["complete", 3],
    ]);
    expect(diagnostics).toEqual([]);
  });

  it("say what they are there to show", () => {
    const [, call, plan] = blocks;
    expect(call?.steps[0]).toMatchObject({
      tool: "File.ApplyEdit",
      params: {
        file_path: "/path/to/main.js",
        search_string: 'console.log("old");',
        replace_string: 'console.log("new");',
      },
    });
    expect(plan).toMatchObject({ requestId: "req-20250805-report", common: { project_id: "proj-123" } });
    expect(plan?.comments).toHaveLength(3);
    expect(plan?.steps.map(({ tool, onError, retry }) => [tool, onError, retry])).toEqual([
      ["ImageTool.Generate", "continue", 0],
      ["File.Append", "stop", 3],
      ["Report.Build", "stop", 0],
    ]);
    const [, , build] = plan?.steps ?? [];
    expect(build?.uris).toEqual({ log: "fam://reports/today/run.log" });
    expect(build?.typeHints).toEqual({ payload: "json" });
    expect(plan && bindPlan(plan).steps[2]?.params.payload).toMatchObject({ title: expect.any(String) });
  });

  it("survive being written anew", () => {
    for (const block of blocks) {
      const again = parse(serialize(block)).blocks[0];
      expect(again?.steps.map(({ tool, params }) => [tool, params])).toEqual(
        block.steps.map(({ tool, params }) => [tool, params]),
      );
    }
  });

  it("stand beside the manual of the tools, whose call binds to its tool", () => {
    const protocol = tamProtocol({ prompt: tamPrompt });
    const instructions = protocol.instructions([tool], { locale, mode: "single" });
    expect(instructions).toContain(protocol.renderTools([tool], { locale }));
    const found = parse(instructions);
    expect(found.diagnostics).toEqual([]);
    expect(found.blocks).toHaveLength(4);
    const call = found.blocks.find(({ steps }) => steps[0]?.tool === "Search.Web");
    expect(call && bindPlan(call, [tool]).steps[0]).toMatchObject({
      tool: "Search.Web",
      params: { searchTerms: "Python", maxResults: 3 },
      errors: [],
    });
  });
});
