import type { TextProtocol } from "@toolglot/core/text";
import { parse } from "smol-toml";
import type { RouterCall } from "./formats/router.ts";
import type { BodyWriter } from "./formats/toolsxml.ts";
import type { PlannedCall, Task } from "./task.ts";

/** A slip that models make, and that the planner makes on request, as what it changes. */
export interface Slip {
  id: string;
  /** Whether it suits the task; not asked means always. */
  fits?(task: Task): boolean;
  /** The answer ends in the middle, as at a token limit. */
  cut?: true;
  calls?(calls: readonly PlannedCall[]): PlannedCall[];
  /** A router's call, of so many capabilities. */
  routed?(call: RouterCall, capabilities: number): Partial<RouterCall>;
  /** How values stand in their elements. */
  body?: BodyWriter;
  /** The block or document; it knows the task's first tool. */
  block?(text: string, tool: string): string;
  /** The whole answer. */
  answer?(block: string, prose: string): string;
}

/** A text in a fence, with words after it. */
const fenced = (language: string, after: string): Slip => ({
  id: "prose-and-fence",
  answer: (block, prose) => `${prose}\`\`\`${language}\n${block}\`\`\`\n\n${after}`,
});
const cutOff = (at: (text: string) => number): Slip => ({
  id: "cut-off",
  block: (text) => text.slice(0, Math.floor(at(text))),
  cut: true,
});
/** A draft inside reasoning tags. */
const reasoning: Slip = {
  id: "reasoning",
  answer: (block, prose) => `<think>\nMaybe:\n${block}</think>\n${prose}${block}`,
};
const wrongName: Slip = {
  id: "wrong-name",
  calls: (calls) => calls.map(({ name, input }) => ({ name: `${name}s`, input })),
};

/** Slips in an ATTP document, whatever its program is written in. */
const documentSlips: readonly Slip[] = [
  { id: "missing-header", block: (text) => text.replace("[tool_call]\n", "") },
  fenced("toml", "Let me know if you need more."),
  { id: "curly-quotes", block: (text) => text.replace('status = "success"', "status = “success”") },
  { id: "late-thought", block: (text) => text.replace(/^(thought = """[\s\S]*?"""\n)\n([\s\S]*)$/, "$2$1") },
  { id: "loose-syntax", block: (text) => text.replace('status = "success"', "status = success  // ok") },
  { id: "json", block: (text) => `\`\`\`json\n${JSON.stringify(parse(text), null, 2)}\n\`\`\`\n` },
  { id: "reasoning", block: (text) => `<think>\nI should write one document.\n</think>\n\`\`\`toml\n${text}` },
  cutOff((text) => (text.indexOf("\ncode = '''") + text.length) / 2),
];

/** A slip in the document's program. */
const inCode = (id: string, change: (code: string, tool: string) => string, fits?: Slip["fits"]): Slip => ({
  id,
  block: (text, tool) => text.replace(/(?<=\ncode = '''\n)[\s\S]*(?=\n'''\n$)/, (code) => change(code, tool)),
  ...(fits && { fits }),
});
const before = (id: string, lines: string): Slip => inCode(id, (code) => `${lines}\n${code}`);
/** Whether a task changes something: then a program must not be run twice. */
const writes = ({ tools }: Task): boolean => tools.includes("create_ticket") || tools.includes("delete_record");
const callsTool = ({ tools }: Task): boolean => tools.length > 0;

/** Slips in a program that an error points out, in either language. */
const programSlips: readonly Slip[] = [
  inCode("wrong-name", (code, tool) => code.replace(`${tool}(`, `${tool}s(`), callsTool),
  inCode(
    "missing-result",
    (code) => code.replaceAll("__result__", "result"),
    (task) => !writes(task),
  ),
];

const pythonSlips: readonly Slip[] = [
  before("import", "import re\nimport json\n"),
  // A docstring with the quotes that end the code.
  before("inner-quotes", "def note(text):\n    '''Shows a line in the log.'''\n    print(text)\n"),
  inCode("nested-fence", (code) => `\`\`\`python\n${code}\n\`\`\``),
];

const field = /\w+: ("(?:[^"\\]|\\.)*"|`[^`]*`|[\w.]+)/.source;

/** Most are habits from Python. Each earns an error whose hint says what to write. */
const javascriptSlips: readonly Slip[] = [
  // Arguments by position.
  inCode(
    "positional",
    (code, tool) =>
      code.replace(new RegExp(`(?<=${tool}\\()\\{\\s*${field}(?:,\\s*${field})*,?\\s*\\}`), (input) =>
        [...input.matchAll(new RegExp(field, "g"))].map(([, value]) => value).join(", "),
      ),
    callsTool,
  ),
  before("python-words", 'let last = None;\nprint("working");'),
  before("python-comment", "# one step after another"),
  before("types", 'let note: string = "working";'),
  before("import", 'import fs from "node:fs";\n'),
  // Elsewhere a promise goes unseen: only what takes a list apart finds it out.
  inCode(
    "missing-await",
    (code, tool) => code.replace(`await ${tool}(`, `${tool}(`),
    (task) => /Promise\.all\(/.test(task.code?.javascript ?? "") && !writes(task),
  ),
  inCode("nested-fence", (code) => `\`\`\`javascript\n${code}\n\`\`\``),
];

const tamSlips: readonly Slip[] = [
  { id: "alternate-delimiters", block: (block) => block.replaceAll(/^(\w+):»»»([\s\S]*?)«««$/gm, "$1: >>>$2<<<") },
  fenced("text", "I will tell you what I find."),
  wrongName,
  {
    id: "mixed-delimiters",
    block: (block) =>
      block.replaceAll(/^(command)(\w*):»»»(.*)«««$/gm, (_, key: string, number: string, value: string) => {
        return `${key.toUpperCase()}${number}：》》》${value}《《《`;
      }),
  },
  {
    id: "comments",
    block: (block) => block.replace("\n", "\n# what I am going to do\n").replace(/^(?!<\||$)/gm, "  "),
  },
  { id: "missing-closer", block: (block) => block.replace("«««", "") },
  { id: "missing-end", block: (block) => block.replace("<|[END_TOOL]|>\n", "") },
  reasoning,
  cutOff((block) => block.lastIndexOf("«««") / 2 + 12),
];

/** What an edit looks for, from memory: as it was before somebody wrote its longest word in the plural. */
function misremember(call: PlannedCall): PlannedCall {
  if (call.name !== "edit") return call;
  const { files } = call.input as { files: { edits: { find: string }[] }[] };
  const outdated = (find: string): string => {
    const longest = (find.match(/[A-Za-z]{3,}/g) ?? [" "]).reduce((a, b) => (b.length > a.length ? b : a));
    return find.replace(longest, () => `${longest}s`);
  };
  const editsOf = (edits: { find: string }[]): object[] =>
    edits.map((edit) => ({ ...edit, find: outdated(edit.find) }));
  return { ...call, input: { files: files.map((file) => ({ ...file, edits: editsOf(file.edits) })) } };
}

const toolsxmlSlips: readonly Slip[] = [
  // Bodies of the built-in tags need no escaping.
  { id: "unescaped", fits: ({ kind }) => !kind.startsWith("project-"), body: (value) => value },
  fenced("xml", "I will tell you what I find."),
  {
    id: "outdated-find",
    fits: ({ kind }) => kind === "project-fix",
    calls: (calls) => calls.map(misremember),
  },
  { id: "missing-end", block: (block) => block.replace("</tools>\n", "") },
  wrongName,
  {
    id: "entities",
    body: (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  },
  { id: "capitals", block: (block) => block.replace(/<(\/?)tools>/g, "<$1TOOLS >") },
  { id: "envelope", answer: (block, prose) => JSON.stringify({ reply: prose.trim(), tools: block }) },
  reasoning,
  cutOff((block) => Math.max(12, block.indexOf("</", 10) - 2)),
];

type Arguments = [name: string, value: unknown][];
const routed = (id: string, change: (entries: Arguments) => Arguments): Slip => ({
  id,
  routed: ({ args }) => ({ args: Object.fromEntries(change(Object.entries(args))) }),
});

/** What a router refuses is written again. */
const routerSlips: readonly Slip[] = [
  { id: "wrong-number", routed: ({ idx }, capabilities) => ({ idx: (idx + 1) % Math.max(1, capabilities) }) },
  routed("missing-argument", (entries) => entries.slice(1)),
  // Numbers and texts in each other's place.
  routed("text-for-number", (entries) =>
    entries.map(([name, value], at) => [name, typeof value === "number" ? String(value) : at === 0 ? 5 : value]),
  ),
  routed("unknown-argument", (entries) => [...entries, ["verbose", true]]),
  { id: "wrong-name", routed: ({ name }) => ({ name: `${name}s` }) },
];

/** One of each list after another. */
function inTurns<Kind>(...lists: readonly (readonly Kind[])[]): Kind[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** The slips of each protocol, in the order in which they take turns. */
export const slipsOf: Readonly<Record<TextProtocol | "attp-js" | "native" | "trp", readonly Slip[]>> = {
  attp: inTurns(documentSlips, programSlips, pythonSlips),
  "attp-js": inTurns(documentSlips, programSlips, javascriptSlips),
  tam: tamSlips,
  toolsxml: toolsxmlSlips,
  native: [wrongName],
  trp: routerSlips,
};

/** The names of all slips, each once. */
export const slipNames: readonly string[] = [
  ...new Set(Object.values(slipsOf).flatMap((slips) => slips.map(({ id }) => id))),
];

/** The slip for a task: the first that fits, from `turn` on in the rotation. */
export function pickSlip(slips: readonly Slip[], task: Task, turn: number): Slip {
  const at = ((turn % slips.length) + slips.length) % slips.length;
  const rotated = [...slips.slice(at), ...slips.slice(0, at)];
  return rotated.find((slip) => slip.fits?.(task) ?? true) as Slip;
}

/** The answer with a block in it, and with the slip that it holds. */
export function slipped(slip: Slip | undefined, block: string, prose: string, tool = ""): string {
  return slip?.answer?.(block, prose) ?? prose + (slip?.block?.(block, tool) ?? block);
}
