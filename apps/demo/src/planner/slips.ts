import type { TextProtocol } from "@toolglot/core/text";
import { parse } from "smol-toml";
import type { RouterCall } from "./formats/router.ts";
import type { Task } from "./task.ts";

/** A slip that models make, and that the planner makes on request: a change of the whole answer, or of each call. */
export interface Slip {
  id: string;
  text?(answer: string): string;
  /** A router's call, of so many capabilities; of a native call the name alone. */
  call?(call: RouterCall, capabilities: number): Partial<RouterCall>;
  /** Whether it suits the task; not asked means always. */
  fits?(task: Task): boolean;
}

type Rewrite = (...found: string[]) => string;

/** Slips by name: what stands in an answer, what the slip makes of it, and whether it suits the task. */
function slips(...changes: readonly (readonly [string, RegExp | string, string | Rewrite, Slip["fits"]?])[]): Slip[] {
  return changes.map(([id, from, to, fits = () => true]) => {
    return { id, fits, text: (answer) => answer.replace(from, to as Rewrite) };
  });
}

/** Whether a task changes nothing: else a program must not be run twice. */
const reads = ({ tools }: Task): boolean => !tools.includes("create_ticket") && !tools.includes("delete_record");
const calls = ({ tools }: Task): boolean => tools.length > 0;
const all = /^[\s\S]*$/;
const code = /(?<=\ncode = '''\n)[\s\S]*(?=\n'''\n$)/;
const codeStart = /(?<=\ncode = '''\n)/;

/** Slips in an ATTP document, whatever its program is written in, and two in the program that an error points out. */
const documentSlips = slips(
  ["missing-header", "[tool_call]\n", ""],
  ["prose-and-fence", all, "Sure, here is the program:\n\n```toml\n$&```\n\nLet me know if you need more."],
  ["curly-quotes", 'status = "success"', "status = “success”"],
  ["late-thought", /^(thought = """[\s\S]*?"""\n)\n([\s\S]*)$/, "$2$1"],
  ["loose-syntax", 'status = "success"', "status = success  // ok"],
  ["json", all, (text = "") => `\`\`\`json\n${JSON.stringify(parse(text), null, 2)}\n\`\`\`\n`],
  ["reasoning", /^/, "<think>\nI should write one document.\n</think>\n```toml\n"],
  ["cut-off", all, (text = "") => text.slice(0, Math.floor((text.indexOf("\ncode = '''") + text.length) / 2))],
  ["wrong-name", /(?<=\ncode = '''\n[\s\S]*)\b([a-z]+_[a-z]+)\(/, "$1s(", calls],
  ["missing-result", /__result__/g, "result", reads],
);

const pythonSlips = slips(
  ["import", codeStart, "import re\nimport json\n\n"],
  // A docstring with the quotes that end the code.
  ["inner-quotes", codeStart, "def note(text):\n    '''Shows a line in the log.'''\n    print(text)\n\n"],
  ["nested-fence", code, "```python\n$&\n```"],
);

const field = /\w+: ("(?:[^"\\]|\\.)*"|`[^`]*`|[\w.]+)/.source;
const inPlace: Rewrite = (input = "") => [...input.matchAll(RegExp(field, "g"))].map(([, value]) => value).join(", ");

/** Elsewhere a promise goes unseen: only what takes a list apart finds it out. */
const awaits = (task: Task): boolean => reads(task) && /Promise\.all\(/.test(task.code?.javascript ?? "");

/** Most are habits from Python. Each earns an error whose hint says what to write. */
const javascriptSlips = slips(
  ["positional", new RegExp(`(?<=[a-z]_[a-z]+\\()\\{\\s*${field}(?:,\\s*${field})*,?\\s*\\}`), inPlace, calls],
  ["python-words", codeStart, 'let last = None;\nprint("working");\n'],
  ["python-comment", codeStart, "# one step after another\n"],
  ["types", codeStart, 'let note: string = "working";\n'],
  ["import", codeStart, 'import fs from "node:fs";\n\n'],
  ["missing-await", /await (?=[a-z]+_[a-z]+\()/, "", awaits],
  ["nested-fence", code, "```javascript\n$&\n```"],
);

const tamBlock = /<\|\[REQUEST_TOOL\][\s\S]*/;
const tamSlips = slips(
  ["alternate-delimiters", /^(\w+):»»»([\s\S]*?)«««$/gm, "$1: >>>$2<<<"],
  ["prose-and-fence", tamBlock, "```text\n$&```\n\nI will tell you what I find."],
  ["wrong-name", /^(command\w*:»»».*)«««$/gm, "$1s«««"],
  ["mixed-delimiters", /^command(\w*):»»»(.*)«««$/gm, "COMMAND$1：》》》$2《《《"],
  ["comments", /^\w+:»»»/gm, "  # what I am going to do\n  $&"],
  ["missing-closer", "«««", ""],
  ["missing-end", "<|[END_TOOL]|>\n", ""],
  ["reasoning", /^([\s\S]*?)(<\|\[REQUEST_TOOL\][\s\S]*)/, "<think>\nMaybe:\n$2</think>\n$1$2"],
  ["cut-off", tamBlock, (block = "") => block.slice(0, Math.floor(block.lastIndexOf("«««") / 2) + 12)],
);

/** What an edit looks for, from memory: as it was before somebody wrote its longest word in the plural. */
const outdated = (find = ""): string =>
  find.replace(
    (find.match(/[A-Za-z]{3,}/g) ?? [" "]).reduce((a, b) => (b.length > a.length ? b : a)),
    "$&s",
  );
const entities: Rewrite = (_ = "", inner = _) =>
  inner.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
/** Text in CDATA, and bodies of built-in tags, which need no escaping. */
const bodies = /<!\[CDATA\[([\s\S]*?)\]\]>|(?<=<(command|find|replace|input)>)[\s\S]*?(?=<\/\2>)/g;

const toolsxmlSlips = slips(
  ["unescaped", /<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1", ({ kind }) => !kind.startsWith("project-")],
  ["prose-and-fence", /<tools>[\s\S]*/, "```xml\n$&```\n\nI will tell you what I find."],
  ["outdated-find", /(?<=<find>)[^<][\s\S]*?(?=<\/find>)/g, outdated, ({ kind }) => kind === "project-fix"],
  ["missing-end", "</tools>\n", ""],
  ["wrong-name", /^( {2}<)(\w+)([\s\S]*?<\/)\2(?=>)/gm, "$1$2s$3$2s"],
  ["entities", bodies, entities],
  ["capitals", /<(\/?)tools>/g, "<$1TOOLS >"],
  ["envelope", /^([\s\S]*?)\s*(<tools>[\s\S]*)/, (_, reply, tools) => JSON.stringify({ reply, tools })],
  ["reasoning", /^([\s\S]*?)(<tools>[\s\S]*)/, "<think>\nMaybe:\n$2</think>\n$1$2"],
  ["cut-off", /<tools>[\s\S]*/, (block = "") => block.slice(0, Math.max(12, block.indexOf("</", 10) - 2))],
);

type Arguments = [name: string, value: unknown][];
const routed = (id: string, change: (entries: Arguments) => Arguments): Slip => ({
  id,
  call: ({ args }) => ({ args: Object.fromEntries(change(Object.entries(args))) }),
});
const wrongName: Slip = { id: "wrong-name", call: ({ name }) => ({ name: `${name}s` }) };

/** What a router refuses is written again. */
const routerSlips: readonly Slip[] = [
  { id: "wrong-number", call: ({ idx }, capabilities) => ({ idx: (idx + 1) % Math.max(1, capabilities) }) },
  routed("missing-argument", (entries) => entries.slice(1)),
  // Numbers and texts in each other's place.
  routed("text-for-number", (entries) =>
    entries.map(([name, value], at) => [name, typeof value === "number" ? String(value) : at === 0 ? 5 : value]),
  ),
  routed("unknown-argument", (entries) => [...entries, ["verbose", true]]),
  wrongName,
];

/** The slips of each protocol, in the order in which they take turns. */
export const slipsOf: Readonly<Record<TextProtocol | "attp-js" | "native" | "trp" | "trp-code", readonly Slip[]>> = {
  attp: [...documentSlips, ...pythonSlips],
  "attp-js": [...documentSlips, ...javascriptSlips],
  tam: tamSlips,
  toolsxml: toolsxmlSlips,
  native: [wrongName],
  trp: routerSlips,
  "trp-code": [...documentSlips, ...pythonSlips],
};

export const slipNames: readonly string[] = [
  ...new Set(Object.values(slipsOf).flatMap((list) => list.map(({ id }) => id))),
];

/** The slip for a task: the first that fits, from `turn` on in the rotation. */
export function pickSlip(list: readonly Slip[], task: Task, turn: number): Slip {
  const at = ((turn % list.length) + list.length) % list.length;
  return [...list.slice(at), ...list.slice(0, at)].find(({ fits }) => fits?.(task) ?? true) as Slip;
}
