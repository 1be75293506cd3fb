import type { ParseResult } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "../src/parse.ts";
import { build, isWellFormed, parseStrict } from "../src/strict/index.ts";
import type { ToolsXmlBlock } from "../src/types.ts";
import { markupBlock, declaredTools as tools, wellFormedBlock } from "./well-formed-blocks.ts";

/** What a reader found, less spans. */
function found({ blocks }: ParseResult<ToolsXmlBlock>): object[] {
  return blocks.map(({ status, calls, comments }) => ({
    status,
    calls: calls.map(({ span: _, ...call }) => JSON.parse(JSON.stringify(call)) as object),
    comments: comments.map(({ text }) => text),
  }));
}

it("should read what a well-formed block says, as parse() does", () => {
  fc.assert(
    fc.property(fc.oneof(wellFormedBlock, markupBlock), ({ xml, calls, comments }) => {
      const strict = parseStrict(xml, { tools });
      expect(found(strict)).toEqual([{ status: "complete", calls: JSON.parse(JSON.stringify(calls)), comments }]);
      const loose = parse(xml, { tools });
      expect(found(loose)).toEqual(found(strict));
      // Spans too, but those of findings: XML readers don't say where an attribute stands.
      expect(loose.blocks).toEqual(strict.blocks);
      expect(loose.segments).toEqual(strict.segments);
      const codes = ({ diagnostics }: ParseResult<ToolsXmlBlock>): string[] =>
        diagnostics.map(({ code }) => code).sort();
      expect(codes(loose)).toEqual(codes(strict));
    }),
    { numRuns: 1000 },
  );
});

it("should build well-formed XML that says the same", () => {
  fc.assert(
    fc.property(wellFormedBlock, fc.boolean(), ({ xml }, declared) => {
      const [block] = parseStrict(xml, { tools }).blocks;
      const built = build(block as ToolsXmlBlock, declared ? { tools } : {});
      expect(isWellFormed(built)).toBe(true);
      // Without the declarations a raw body would be JSON to build, and text to parse.
      const options = declared ? { tools } : { tools: tools.map((tool) => ({ ...tool, inputSchema: {} })) };
      expect(found(parseStrict(built, options))).toEqual(
        found({ segments: [], blocks: [block as ToolsXmlBlock], diagnostics: [] }),
      );
    }),
    { numRuns: 500 },
  );
});
