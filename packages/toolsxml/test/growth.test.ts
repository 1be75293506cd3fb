import type { ToolDefinition } from "@toolglot/core";
import { testGrowth } from "@toolglot/internal/testing/growth";
import { expect, it } from "vitest";
import { createParser, parse } from "../src/index.ts";

testGrowth({
  parse,
  createParser,
  raw: true,
  found: [
    ["as attributes", "◁think▷\n"],
    ["in a file", "“\n"],
  ],
  block: (value) => `<tools>\n<command>${value}</command>\n</tools>`,
  places: {
    "in a custom call": (text) => `<tools><note>${text}</note></tools>`,
    "in a child": (text) => `<tools><note><title>${text}</title></note></tools>`,
    "in a child's CDATA": (text) => `<tools><note><title><![CDATA[${text}]]></title></note></tools>`,
    "in an attribute": (text) => `<tools><note title='${text}'/></tools>`,
    "as attributes": (text) => `<tools><note ${text}/></tools>`,
    "between calls": (text) => `<tools>${text}</tools>`,
    "in an edit": (text) => `<tools><edit><file src="a"><find>${text}</find><replace>x</replace></file></edit></tools>`,
    "in a replacement": (text) =>
      `<tools><edit><file src="a"><find>x</find><replace>\n${text}\n</replace></file></edit></tools>`,
    "in a file": (text) => `<tools><edit><file src="a">${text}</file></edit></tools>`,
    "in a call that is cut": (text) => `<tools><note><title>${text}`,
  },
});

it("bounds hints and findings, whatever a model makes up", () => {
  const tool = (name: string, count: number): ToolDefinition => ({
    name,
    description: "",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`parameter_${at}`, { type: "string" }])),
    },
  });
  const tools = [tool("note", 400), ...Array.from({ length: 399 }, (_, at) => tool(`tool_number_${at}`, 1))];
  const many = (of: (at: number) => string): string => Array.from({ length: 1000 }, (_, at) => of(at)).join("");
  for (const text of [
    `<tools><note ${many((at) => `paramter_${at}q="x" `)}/></tools>`,
    `<tools><note>${many((at) => `<paramter_${at}q></paramter_${at}q>`)}</note></tools>`,
    `<tools>${many((at) => `<tol_number_${at}>x</tol_number_${at}>`)}</tools>`,
  ]) {
    const { diagnostics } = parse(text, { tools });
    expect(diagnostics.length).toBeLessThan(60);
    expect(diagnostics.filter(({ hint }) => hint?.startsWith("Did you mean")).length).toBeLessThanOrEqual(10);
    expect(diagnostics.some(({ message }) => /\(And \d+ more like this\.\)$/.test(message))).toBe(true);
  }
});
