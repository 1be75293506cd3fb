import { describe, expect, it } from "vitest";
import * as toolsxml from "../src/index.ts";
import * as strict from "../src/strict/index.ts";

const block = { calls: [], comments: [] };
const result = { segments: [], blocks: [], diagnostics: [], text: "" } as unknown as Parameters<
  typeof toolsxml.explain
>[0];
/** Every public function with options, called with one that it has not. */
const calls: Record<string, (options: object) => unknown> = {
  parse: (options) => toolsxml.parse("", options),
  createParser: (options) => toolsxml.createParser(options),
  parseStream: (options) => toolsxml.parseStream([], options),
  ToolsXmlParserStream: (options) => new toolsxml.ToolsXmlParserStream(options),
  serialize: (options) => toolsxml.serialize(block, options),
  explain: (options) => toolsxml.explain(result, options),
  renderManual: (options) => toolsxml.renderManual([], options),
  formatResults: (options) => toolsxml.formatResults([], options),
  toolsxmlProtocol: (options) => toolsxml.toolsxmlProtocol({ prompt: undefined as never, ...options }),
  parseStrict: (options) => strict.parseStrict("<tools/>", options),
  build: (options) => strict.build(block, options),
};

describe("an option that nobody reads is refused", () => {
  it.each(Object.keys(calls))("by %s", (name) => {
    expect(() => calls[name]?.({ locales: "en", tool: [] })).toThrow(
      new RegExp(`^${name} has no option "locales"\\. `),
    );
  });

  it("and the nearest one is named", () => {
    expect(() => toolsxml.parse("", { maxLength: 3 } as object)).toThrow(TypeError);
    expect(() => toolsxml.parse("", { repair: "none" } as object)).toThrow('Did you mean "repairs"?');
  });
});
