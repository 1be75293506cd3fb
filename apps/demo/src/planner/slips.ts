import type { TextProtocol } from "@toolglot/core/text";
import { parse } from "smol-toml";
import type { RouterCall } from "./formats/router.ts";
import type { Task } from "./task.ts";
import table from "./words/slips.json" with { type: "json" };

/** A slip that models make, and that the planner makes on request: a change of the whole answer, or of each call. */
export interface Slip {
  id: string;
  text?(answer: string): string;
  /** A router's call, of so many capabilities; of a native call the name alone. */
  call?(call: RouterCall, capabilities: number): Partial<RouterCall>;
  /** Whether it suits the task; not asked means always. */
  fits?(task: Task): boolean;
}

/** Whether a task changes nothing: else a program must not be run twice. */
const reads = ({ tools }: Task): boolean => !tools.includes("create_ticket") && !tools.includes("delete_record");

/** The tasks that a slip suits. */
const tasks: Readonly<Record<string, (task: Task) => boolean>> = {
  reads,
  calls: ({ tools }) => tools.length > 0,
  // Elsewhere a promise goes unseen: only what takes a list apart finds it out.
  awaits: (task) => reads(task) && /Promise\.all\(/.test(task.code?.javascript ?? ""),
  shop: ({ kind }) => !kind.startsWith("project-"),
  fix: ({ kind }) => kind === "project-fix",
};

/** What a slip makes of what it finds, where no replacement text can say it. */
const rewrites: Readonly<Record<string, (...found: string[]) => string>> = {
  json: (text = "") => `\`\`\`json\n${JSON.stringify(parse(text), null, 2)}\n\`\`\`\n`,
  halfProgram: (text = "") => text.slice(0, Math.floor((text.indexOf("\ncode = '''") + text.length) / 2)),
  halfPlan: (block = "") => block.slice(0, Math.floor(block.lastIndexOf("«««") / 2) + 12),
  halfBlock: (block = "") => block.slice(0, Math.max(12, block.indexOf("</", 10) - 2)),
  valuesAlone: (input = "") =>
    [...input.matchAll(/\w+: ("(?:[^"\\]|\\.)*"|`[^`]*`|[\w.]+)/g)].map(([, value]) => value).join(", "),
  // What an edit looks for, from memory: as it was before somebody wrote its longest word in the plural.
  outdated(find = "") {
    const words = find.match(/[A-Za-z]{3,}/g) ?? [" "];
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
    return find.replace(longest, "$&s");
  },
  // Of text in CDATA, and of bodies of built-in tags, which need no escaping.
  entities: (_ = "", inner = _) => inner.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  envelope: (_, reply, tools) => JSON.stringify({ reply, tools }),
};

/** A slip as the table has it: a pattern, what stands in its place or which rewriting makes it, and the tasks it suits. */
type Row = { id: string; from: string; flags?: string; to?: string; by?: string; fits?: string };

const slip = ({ id, from, flags, to = "", by = "", fits = "" }: Row): Slip => ({
  id,
  text: (answer) => answer.replace(new RegExp(from, flags), (rewrites[by] ?? to) as string),
  fits: tasks[fits] ?? (() => true),
});

/** A slip in the arguments of a router's call. */
const routed = (id: string, change: (entries: [name: string, value: unknown][]) => unknown[][]): Slip => ({
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

const python = [...table.document, ...table.python].map(slip);
/** Most are habits from Python. Each earns an error whose hint says what to write. */
const javascript = [...table.document, ...table.javascript].map(slip);

/** The slips of each protocol, in the order in which they take turns. */
export const slipsOf: Readonly<
  Record<Exclude<TextProtocol, "dialects"> | "attp-js" | "native" | "trp" | "trp-code" | "trp-code-js", readonly Slip[]>
> = {
  attp: python,
  "attp-js": javascript,
  tam: table.tam.map(slip),
  toolsxml: table.toolsxml.map(slip),
  native: [wrongName],
  trp: routerSlips,
  "trp-code": python,
  "trp-code-js": javascript,
};

export const slipNames: readonly string[] = [
  ...new Set(Object.values(slipsOf).flatMap((list) => list.map(({ id }) => id))),
];

/** The names of the slips of each protocol. */
export const slipIds = Object.fromEntries(
  Object.entries(slipsOf).map(([protocol, slips]) => [protocol, slips.map(({ id }) => id)]),
) as unknown as Readonly<Record<keyof typeof slipsOf, readonly string[]>>;

/** The slip for a task: the first that fits, from `turn` on in the rotation. */
export function pickSlip(list: readonly Slip[], task: Task, turn: number): Slip {
  const at = ((turn % list.length) + list.length) % list.length;
  return [...list.slice(at), ...list.slice(0, at)].find(({ fits }) => fits?.(task) ?? true) as Slip;
}
