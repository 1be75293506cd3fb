import {
  createParser,
  type DialectBlock,
  type DialectEvent,
  type DialectId,
  parse,
  serialize,
} from "@toolglot/dialects";
import { angles, type BodyKind, backticks, cut, inTurn, plain } from "../bodies.ts";
import { measure, quick } from "../measure.ts";
import { atLeast, atMost, type Bar, type Findings, figure, type Measure, ratio, together } from "../report.ts";
import { type Call, ownSubject, prose, type Subject } from "./parser.ts";
import { peers } from "./peers.ts";
import { cell, chunkLength, cpuOf, growthBar, oneCall, stream } from "./streaming.ts";

/** A dialect of each engine; `messages` with JSON and with tags. */
const engines: Readonly<Record<string, DialectId>> = {
  json: "hermes",
  tags: "qwen-xml",
  python: "olmo3",
  keyed: "gemma4",
  messages: "harmony",
  "messages, tags": "kimi-k3",
};
const string = { type: "string" } as const;
const tools = [
  { name: "run_code", inputSchema: { type: "object" as const, properties: { target: string, code: string } } },
];
const kilobytes = quick ? [1, 2] : [2, 20, 200];
const brief = { warmMs: 500, rounds: 5, budgetMs: 800, roundMs: 40 };

/** A call as a dialect writes it; a body that it can't hold stands in it as it is. */
function write(dialect: DialectId, { target, code }: Call): string {
  const written = (body: string): string =>
    serialize({ dialect, calls: [{ name: "run_code", input: { target, code: body } }] }, { tools });
  try {
    return written(code);
  } catch {
    return written("BODY").replace("BODY", () => code);
  }
}

/** A dialect as a subject: asked for, or told by what its calls begin with. */
export function dialectSubject(dialect: DialectId, as: DialectId | "auto" = dialect): Subject {
  const options = { dialect: as, tools };
  return ownSubject<DialectBlock, DialectEvent>(
    as === "auto" ? `auto, ${dialect}` : dialect,
    dialect,
    (calls) => calls.map((call) => prose + write(dialect, call)).join("\n"),
    {
      parse: (text) => parse(text, options),
      createParser: ({ onEvent }) => createParser({ ...options, onEvent }),
    },
    (blocks) => blocks.flatMap(({ calls }) => calls.map(({ input }) => String(input.code))),
    (event) => (event.type === "argument-delta" && event.param === "code" ? event.text : undefined),
  );
}

const subjects = Object.entries(engines).flatMap(([engine, dialect]) => [
  { engine, subject: dialectSubject(dialect) },
  { engine, subject: dialectSubject(dialect, "auto") },
]);
/** Those that read a dialect, and which. */
const readers = peers.flatMap((subject) => {
  const dialect = / hermes$/.test(subject.name) ? "hermes" : / qwen3coder$/.test(subject.name) ? "qwen-xml" : undefined;
  return dialect ? [{ engine: dialect, subject }] : [];
});

async function wholeTexts(progress: (text: string) => void): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  const ours: Record<string, number> = {};
  // Who comes first would else be measured while its code is compiled.
  for (const { subject } of subjects) await measure(() => subject.parse(subject.encode([oneCall(plain, 20)])), brief);
  for (const { engine, subject } of [...subjects, ...readers]) {
    progress(`whole texts: ${subject.name}`);
    const cells = [subject.name, engine];
    let exact = true;
    for (const size of kilobytes) {
      const call = oneCall(plain, size);
      const text = subject.encode([call]);
      let bodies: string[] = [];
      const { cpu } = await measure(async () => (bodies = await subject.parse(text)), brief);
      exact &&= bodies.length === 1 && bodies[0]?.trim() === call.code.trim();
      const speed = text.length / 1000 / cpu;
      const isPeer = peers.includes(subject);
      const own = ours[`${isPeer ? engine : subject.name} ${size}`] ?? speed;
      ours[`${subject.name} ${size}`] = speed;
      cells.push(figure(speed), isPeer ? ratio(speed, own) : "");
      if (!isPeer) bars.push(speedBar(`${subject.name}, a call of ${size} kB`, speed, exact));
    }
    rows.push([...cells, exact ? "yes" : "no"]);
  }
  const sizes = kilobytes.flatMap((size) => [`${size} kB, MB/s`, "to ours"]);
  const note =
    "Two lines of prose and a call that carries a program: millions of characters a second of processor time. To ours: beside the same dialect here, above 1 is faster.";
  return {
    tables: [{ title: "Whole texts", note, columns: ["", "engine", ...sizes, "exact"], words: [1], rows }],
    bars,
  };
}

const speedBar = (what: string, speed: number, met: boolean): Bar => {
  const bar = atLeast(what, speed, 30, " MB/s");
  return { ...bar, met: met && bar.met };
};

const ordinaryProse = inTurn(
  "I will look at the files first and then change what has to be changed, step by step.",
  "",
  "There are *three* things to do: read it, change it, and `test` it.",
  "- first (see [the page](https://example.org))",
  "- then a < b and more",
);

async function proseAlone(progress: (text: string) => void): Promise<Findings> {
  const bars: Bar[] = [];
  const rows: string[][] = [];
  const text = ordinaryProse(quick ? 2000 : 200_000);
  for (const dialect of [...Object.values(engines), "auto"] as const) {
    progress(`prose: ${dialect}`);
    const { cpu } = await measure(() => parse(text, { dialect, tools }), brief);
    const speed = text.length / 1000 / cpu;
    rows.push([dialect, figure(speed)]);
    if (dialect === "auto") bars.push(speedBar("auto, prose without calls", speed, true));
  }
  return { tables: [{ title: "Prose without calls", columns: ["", "MB/s"], rows }], bars };
}

const size = quick ? 2 : 200;

async function streams(progress: (text: string) => void): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const { engine, subject } of [...subjects, ...readers]) {
    progress(`streaming: ${subject.name}`);
    const call = oneCall(plain, size);
    const found = await stream(subject, subject.encode([call]), call.code, chunkLength, brief);
    rows.push([subject.name, engine, cell(found)]);
    const what = `${subject.name}, 200 kB in chunks of 8 characters, with deltas`;
    if (!peers.includes(subject)) bars.push(atMost(what, cpuOf(found), 13, " ms"));
  }
  const note = "One call of 200 kB in chunks of 8 characters, with a listener that takes in every delta.";
  return { tables: [{ title: "Streaming", note, columns: ["", "engine", "ms"], words: [1], rows }], bars };
}

/** Bodies that are hard for some engine. What they hold may end a value: they need not come back. */
const hostile = (dialect: DialectId): readonly BodyKind[] => {
  const empty = write(dialect, { target: "x", code: "y" });
  const [, open = "", close = ""] = /^([\s\S]*)y([\s\S]*)$/.exec(empty) ?? [];
  return [
    plain,
    angles,
    backticks,
    { name: "closers", about: "what closes a call, again and again", make: inTurn(close.trim()) },
    { name: "openers", about: "what opens a call, never closed", make: inTurn(open.trim()) },
    { name: "braces", about: "`{` alone", make: inTurn("{{{{{{{{{{{{{{{{") },
    { name: "brackets", about: "`[` alone", make: inTurn("[[[[[[[[[[[[[[[[") },
    { name: "bars", about: "`｜`, as in DeepSeek's marks", make: inTurn("｜｜ ｜ <｜ <｜tool ｜> ｜｜｜") },
  ];
};

async function growth(progress: (text: string) => void): Promise<Findings> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const { subject } of subjects.filter(({ subject }) => subject.name.startsWith("auto"))) {
    const dialect = subject.form as DialectId;
    const cells: string[] = [dialect];
    for (const kind of hostile(dialect))
      for (const length of kind === plain ? [chunkLength, 1] : [chunkLength]) {
        progress(`growth: ${dialect}, ${kind.name}`);
        const costOf = async (times: number): Promise<number> => {
          const chunks = cut(prose + write(dialect, oneCall(kind, (size / 2) * times)), length);
          const read = (): void => {
            const parser = createParser({ dialect: "auto", tools, onEvent() {} });
            for (const chunk of chunks) parser.feed(chunk);
            parser.end();
          };
          return (await measure(read, { ...brief, rounds: 5 })).cpu;
        };
        const [half, whole, twice] = [await costOf(1), await costOf(2), await costOf(4)];
        const most = Math.sqrt(twice / half);
        const what = `${kind.name}${length === 1 ? ", one character a chunk" : ""}`;
        cells.push(`${figure(whole)}, ${figure(most)}×`);
        bars.push(atMost(`growth in a doubling, auto, ${dialect}, ${what}`, most, growthBar));
      }
    rows.push(cells);
  }
  const kinds = hostile("hermes").flatMap(({ name }) => (name === "plain" ? [name, "plain, one character"] : [name]));
  const note = `\`auto\`, chunks of 8 characters: milliseconds for a body of 200 kB, and how many times the cost grows where the text doubles, between 100 and 400 kB. ${hostile(
    "hermes",
  )
    .map(({ name, about }) => `*${name}*: ${about}.`)
    .join(" ")}`;
  return { tables: [{ title: "Hostile bodies", note, columns: ["", ...kinds], rows }], bars };
}

/** The reader of dialects, beside the parsers that read one of them. */
export const measureDialects: Measure = async ({ progress }) =>
  together(await wholeTexts(progress), await proseAlone(progress), await streams(progress), await growth(progress));
