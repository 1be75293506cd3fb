import { describe, expect, it } from "vitest";
import { cut } from "./parsers.ts";
import { drawn, isLong, rounds } from "./rounds.ts";

// Reading costs in proportion to the text, at once and in chunks, and the same whatever is declared: for every text protocol.

interface Tool {
  name: string;
  description: string;
  inputSchema: { type: "object"; properties: Record<string, { type: "string"; "x-raw-body"?: true }> };
}

/** What the gate needs to know of a protocol. `note` is the tool that may be declared, `title` its parameter. */
export interface GrowthFixture {
  parse(text: string, options: { tools: Tool[] }): unknown;
  createParser(options: { tools: Tool[]; onEvent: () => void }): { feed(chunk: string): void; end(): unknown };
  /** A block that holds a value. */
  block(value: string): string;
  /** A tool's parameter may have its text raw. */
  raw?: true;
  /** What its texts are made of, besides the units of all protocols. `%` becomes a number that grows. */
  units?: readonly string[];
  /** What cost the square of its length once, in which place: it is read at length. */
  found?: readonly [place: string, repeated: string][];
  /** Where else a text may stand: keys, attributes, between calls. */
  places: Record<string, (text: string) => string>;
}

const toolOf = (name: string, count: number, raw?: { "x-raw-body": true }): Tool => ({
  name,
  description: "",
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        at === 0 ? "title" : `parameter_${at}`,
        { type: "string" as const, ...raw },
      ]),
    ),
  },
});
const declared: Record<string, Tool[]> = {
  "no tools": [],
  "one tool": [toolOf("note", 1)],
  "a raw body": [toolOf("note", 1, { "x-raw-body": true })],
  "400 tools": [toolOf("note", 400), ...Array.from({ length: 399 }, (_, at) => toolOf(`tool_number_${at}`, 1))],
};

/** What texts are made of here. `%` becomes a number that grows: names that all differ. */
const units: readonly string[] = [
  // ATTP
  ...[
    "[tool_call]",
    "thought = ",
    'thought = """',
    "code = '''",
    "'''",
    "''",
    '"""',
    "status = ",
    'status = "success"\n',
  ],
  ...[
    "target = 'x'\n",
    "k% = 1\n",
    "k = [",
    "k = {",
    '{"thought":',
    "[k%]\n",
    "a = '''x'''\n",
    "'''# ",
    "'''x",
    "__result__ =",
  ],
  // TAM
  ...[
    "<|[REQUEST_TOOL]|>",
    "<|[END_TOOL]|>",
    "\n<|[END_TOOL",
    "command:»»»note«««",
    "command_%:»»»note«««",
    "title:»»»x«««",
  ],
  ...[
    "title:»»»",
    "paramter_%:»»»x«««",
    "k%:»»»x«««\n",
    "«««",
    "««",
    "»»»",
    "»",
    "<<<",
    ">>>",
    "》》》",
    "a:»»»x<<<\n",
    "(b:»»» ",
  ],
  ...["type_hint_title:»»»json«««\n", "「始」", "「末」"],
  // ToolsXML
  ...[
    "<tools>",
    "</tools>",
    "<command>",
    "</command>",
    "<edit>",
    '<file src="a">',
    "<find>",
    "</find>",
    "<replace>",
    "<a%></a%>",
  ],
  ...["<a%>", "</a%>", "<title>x</title>", "<title>", "</title> x ", "<tol_number_%>x</tol_number_%>", "</note><note>"],
  ...[
    "<paramter_%></paramter_%>",
    'paramter_%="x" ',
    "<![CDATA[",
    "]]>",
    "<a><!--",
    "/* <ctrl>c</ctrl>\n",
    "\n<tools>\n<command>a\n",
  ],
  // Signs that open, close or part something
  ...[
    "<",
    ">",
    "</",
    "<a",
    "<a>",
    "<a/>",
    "&",
    "&lt;",
    "<!--",
    "-->",
    "<?xml",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "(",
    "[",
    "{",
    "}",
    "]",
  ],
  ...[
    "'",
    '"',
    "“",
    "`",
    "``",
    "` `` ",
    "```",
    "```toml",
    "```python",
    "~~~",
    ">",
    "-",
    "1. ",
    "# ",
    "**",
    "|",
    ":",
    "：",
    "=",
    ",",
    "\\",
  ],
  ...["\\n", "\\<tools\\>", "\\u003c", "$(", "<<EOF\n", "$" + "{", "%%", "[code]\n", "{% raw %}\n"],
  // Lines that open something which another line ends
  ...[
    "[a%]\n",
    "#+BEGIN_A\n",
    "#if a%\n",
    "{a}\n",
    ":::a\n",
    "-----BEGIN A\n",
    "$abc$\n",
    "x = `\n",
    "<<A%\n",
    "a::\n    ",
  ],
  // Other formats' calls and closers, reasoning, turns and results
  ...[
    "</invoke>",
    "</parameter>",
    "<function=",
    '<invoke name="a">',
    "<|tool_call|>",
    "[/TOOL_CALL]",
    "</s>",
    "<tool_call>{",
  ],
  ...[
    ">>>>> REPLACE",
    '{"name": "note", "arguments": {',
    "<think>",
    "</think>",
    "<think",
    "[THINK]",
    "[/THINK]",
    "◁think▷",
  ],
  ...[
    "<scratchpad>",
    "</scratchpad>",
    "<|channel|>analysis<|message|>",
    "<|im_start|>user",
    "<|",
    "User: a",
    "Human:",
    "[INST]",
  ],
  ...["<tool_response>", "[tool_result]", "[TOOL_CALLS]", "Result: 1", "<results>"],
  // White space, invisible characters, words
  ...[
    " ",
    "\t",
    "\r",
    "\n",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\ufeff",
    "\u2060",
    "k",
    "字",
    "9",
    "word ",
    "key: value\n",
    "  a:\n",
  ],
];

const joins: readonly string[] = ["", "\n", " x "];

/** So much text of a unit. */
function fill(unit: string, join: string, size: number): string {
  const piece = (at: number): string => unit.replaceAll("%", String(at)) + join;
  const count = Math.ceil(size / piece(1000).length);
  return unit.includes("%")
    ? Array.from({ length: count }, (_, at) => piece(1000 + at)).join("")
    : piece(0).repeat(count);
}

/** Most texts are small; in each eighth, which is eight times as long, work that a processor does fast in bulk shows, too. */
const small = rounds(16_000, 24_000);
/** A text that costs less, in ms for each thousand units, is no growth worth a measurement. */
const cheap = 0.6;
/** What twice the text may cost: twice as much, with what a logarithm adds. */
const fair = 2.3;
/** What it may cost at most: the collection of garbage adds to it. */
const bound = fair * 1.3;
const least = (measure: () => number): number => Math.min(measure(), measure(), measure());

/** Returns the milliseconds of processor time that something takes: waiting for a busy machine is none. */
export function processorTime(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Whether the cost grows faster than the text, also at larger sizes: a busy machine makes one measurement wrong, not all. `once`: what the
 * text of this size cost.
 */
function growsFaster(cost: (size: number) => number, size: number, floor: number, once: number): string | undefined {
  if (once <= fair * Math.max(cost(size / 2), floor / 6)) return undefined;
  const told: number[] = [least(() => cost(size / 2)), least(() => cost(size))];
  for (let at = size * 2; ; at *= 2) {
    const [half = 0, whole = 0] = told.slice(-2);
    if (whole <= bound * Math.max(half, floor / 6)) return undefined;
    if (told.length === 5 || whole > 4000) return `${told.map(Math.round).join(", ")} ms for each doubling`;
    told.push(least(() => cost(at)));
  }
}

/**
 * Tells a cost that grows faster than the size of a text; undefined when it does not, or is too little to measure.
 *
 * @param prepare Makes the text of a size, and returns what reads it.
 */
export function growthOf(prepare: (size: number) => () => unknown, size: number = small): string | undefined {
  const cost = (length: number): number => processorTime(prepare(length));
  const floor = (cheap * size) / 1000;
  const once = cost(size);
  return once < floor ? undefined : growsFaster(cost, size, floor, once);
}

/** Registers the gate: every unit in every place, with any tools; a sample of them without `npm run test:long`. */
export function testGrowth({
  parse,
  createParser,
  block,
  raw,
  units: own = [],
  found = [],
  places,
}: GrowthFixture): void {
  const where: [string, (text: string) => string][] = Object.entries({
    alone: (text: string) => text,
    "in a value": block,
    "before a block": (text: string) => `${text}\n\n${block("x")}\n`,
    "behind a block": (text: string) => `${block("x")}\n\n${text}`,
    "behind a block that is cut": (text: string) => `${block("x").slice(0, -15)}\n${text}`,
    "in a fence": (text: string) => `\`\`\`\n${text}\n\`\`\`\n${block("x")}`,
    "in a fence of a program": (text: string) => `\`\`\`python\n${text}\n\n${block("x")}`,
    "in a fenced value": (text: string) => `\`\`\`\n${block(text)}\n\`\`\`\n`,
    "in reasoning": (text: string) => `<think>\n${text}\n</think>\n${block("x")}`,
    "in a line": (text: string) => `a \`${text}`,
    ...places,
  });
  const ways: Record<string, (text: string, tools: Tool[]) => unknown> = {
    "at once": (text, tools) => parse(text, { tools }),
    "in chunks": (text, tools) => {
      const parser = createParser({ tools, onEvent: () => {} });
      for (const chunk of cut(text, [13])) parser.feed(chunk);
      return parser.end();
    },
  };
  const given = Object.entries(declared).filter(([named]) => raw || named !== "a raw body");
  const inWays = (place: string, unit: string, join: string, [named, tools]: (typeof given)[number]) => {
    const around = where.find(([known]) => known === place)?.[1];
    if (!around) throw new Error(`There is no place "${place}".`);
    return Object.entries(ways).map(([way, read]) => ({ place, around, unit, join, named, tools, way, read }));
  };
  const all = where.flatMap(([place]) =>
    [...new Set([...units, ...own])].flatMap((unit) =>
      joins.flatMap((join) => given.flatMap((tools) => inWays(place, unit, join, tools))),
    ),
  );
  const one = given.filter(([named]) => named === "one tool");
  const cases = [
    ...(isLong ? all : drawn(all, 300)).map((one, index) => ({ ...one, size: index % 8 === 0 ? 8 * small : small })),
    ...found
      .flatMap(([place, repeated]) => one.flatMap((tools) => inWays(place, repeated, "", tools)))
      .map((one) => ({ ...one, size: 8 * small })),
  ];
  describe(
    isLong ? "reading costs in proportion" : `reading costs in proportion (${cases.length} of ${all.length} cases)`,
    () => {
      for (const [place] of where) {
        it(place, () => {
          const failures: string[] = [];
          for (const { around, unit, join, named, tools, way, read, size } of cases.filter(
            (one) => one.place === place,
          )) {
            const cost = (length: number, known = tools): number => {
              const text = around(fill(unit, join, length));
              return processorTime(() => read(text, known));
            };
            const once = cost(size);
            const floor = (cheap * size) / 1000;
            if (once < floor) continue;
            const growth = growsFaster(cost, size, floor, once);
            const few = declared["one tool"] as Tool[];
            const dear =
              !growth &&
              tools.length > 1 &&
              once > 4 * floor &&
              least(() => cost(size)) >
                4 *
                  Math.max(
                    floor,
                    least(() => cost(size, few)),
                  );
            if (growth || dear)
              failures.push(
                `${JSON.stringify(unit)} with ${JSON.stringify(join)}, ${named}, ${way}: ${growth ?? "dear"}`,
              );
          }
          expect(failures).toEqual([]);
        }, 1_200_000);
      }
    },
  );
}
