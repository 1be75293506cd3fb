/** Reading costs in proportion to the text, and the same whatever is declared: all hostile pieces, with 0, 1 and 400 tools and parameters. */
import type { ToolDefinition } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { parse } from "../src/index.ts";

const string = { type: "string" } as const;
const toolOf = (name: string, count: number): ToolDefinition => ({
  name,
  description: "",
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [at === 0 ? "title" : `parameter_${at}`, string]),
    ),
  },
});
const declared = {
  none: [],
  one: [toolOf("note", 1)],
  many: [toolOf("note", 400), ...Array.from({ length: 399 }, (_, at) => toolOf(`tool_number_${at}`, 1))],
  raw: [
    {
      ...toolOf("note", 1),
      inputSchema: { type: "object" as const, properties: { title: { ...string, "x-raw-body": true } } },
    },
  ],
} satisfies Record<string, ToolDefinition[]>;

const fill = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
const list = (size: number, of: (at: number) => string): string => {
  const piece = of(1000);
  return Array.from({ length: Math.ceil(size / piece.length) }, (_, at) => of(1000 + at)).join("");
};
const pieces: Record<string, (size: number) => string> = {
  comments: (size) => fill("<!--", size),
  "comments that end": (size) => `${fill("<a><!--", size)}-->`,
  CDATA: (size) => fill("<![CDATA[", size),
  "names of elements": (size) => list(size, (at) => `<a${at}></a${at}>`),
  "near names of elements": (size) => list(size, (at) => `<paramter_${at}></paramter_${at}>`),
  "names without an end": (size) => list(size, (at) => `<a${at}>`),
  titles: (size) => fill("<title>x</title>", size),
  "titles in titles": (size) => fill("<title>", size),
  "ends of titles": (size) => fill("</title> x ", size),
  "near tools": (size) => list(size, (at) => `<tol_number_${at}>x</tol_number_${at}>`),
  closers: (size) => fill("</invoke>", size),
  blanks: (size) => fill(" ", size),
  less: (size) => fill("<", size),
  entities: (size) => fill("&lt;", size),
  calls: (size) => fill("</note><note>", size),
  blocks: (size) => fill("\n<tools>\n<command>a\n", size),
  stray: (size) => fill("/* <ctrl>c</ctrl>\n", size),
};
const places: Record<string, (text: string) => string> = {
  "in a custom call": (text) => `<tools><note>${text}</note></tools>`,
  "in a child": (text) => `<tools><note><title>${text}</title></note></tools>`,
  "in a child's CDATA": (text) => `<tools><note><title><![CDATA[${text}]]></title></note></tools>`,
  "in an attribute": (text) => `<tools><note title='${text}'/></tools>`,
  "between calls": (text) => `<tools>${text}</tools>`,
  "in a script": (text) => `<tools><command>${text}</command></tools>`,
  "in a call that is cut": (text) => `<tools><note><title>${text}`,
};
const cases = Object.entries(pieces).flatMap(([piece, make]) =>
  Object.entries(places).map(([place, around]) => [piece, place, (size: number) => around(make(size))] as const),
);
const attributes = (size: number): string => `<tools><note ${list(size, (at) => `paramter_${at}="x" `)}/></tools>`;

const size = rounds(20_000, 80_000);
const cost = (text: string, tools: ToolDefinition[]): number => {
  const started = process.cpuUsage();
  parse(text, { tools });
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
};
it.each([...cases, ["names", "of attributes", attributes] as const])("%s %s", (_, __, make) => {
  for (const tools of Object.values(declared)) {
    const text = make(size);
    // A first look, so that only what really is slow is measured again.
    const once = cost(text, tools);
    if (once < 40) continue;
    const [half, whole] = [make(size / 2), text].map((one) =>
      Math.min(cost(one, tools), cost(one, tools), cost(one, tools)),
    );
    expect((whole as number) / Math.max(half as number, 10)).toBeLessThan(2.3 * 1.5);
    expect((whole as number) / (text.length / 1000)).toBeLessThan(10);
  }
});

it("bounds hints and findings, whatever a model makes up", () => {
  for (const text of [
    attributes(20_000),
    places["in a custom call"]?.(pieces["near names of elements"]?.(20_000) ?? "") ?? "",
    places["between calls"]?.(pieces["near tools"]?.(20_000) ?? "") ?? "",
  ]) {
    const { diagnostics } = parse(text, { tools: declared.many });
    expect(diagnostics.length).toBeLessThan(60);
    expect(diagnostics.filter(({ hint }) => hint?.startsWith("Did you mean")).length).toBeLessThanOrEqual(10);
    expect(diagnostics.some(({ message }) => /\(And \d+ more like this\.\)$/.test(message))).toBe(true);
  }
});
