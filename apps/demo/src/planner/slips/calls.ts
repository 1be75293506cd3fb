import type { CatalogLine, RouterCall } from "../formats/router.ts";
import { writeTamBlock } from "../formats/tam.ts";
import { type BodyWriter, writeToolsBlock } from "../formats/toolsxml.ts";
import type { PlannedCall } from "../task.ts";
import { misspell, type Slip } from "./slip.ts";

/** A slip in a block of calls, as the answer that holds it. */
interface CallSlip extends Slip {
  write(calls: readonly PlannedCall[], prose: string): string;
}

/** A slip as what is changed: the calls, how values are written, the text of the block, or all that is around it. */
interface BlockChange extends Slip {
  calls?(calls: readonly PlannedCall[]): PlannedCall[];
  body?: BodyWriter;
  block?(block: string): string;
  answer?(block: string, prose: string): string;
}

function blockSlips(
  changes: readonly BlockChange[],
  write: (calls: readonly PlannedCall[], body?: BodyWriter) => string,
): CallSlip[] {
  return changes.map(({ calls: change, body, block: edit, answer, ...slip }) => ({
    ...slip,
    write(calls, prose) {
      const block = write(change?.(calls) ?? calls, body);
      return answer?.(block, prose) ?? prose + (edit?.(block) ?? block);
    },
  }));
}

/** A block in a fence, with words after it. */
const fenced = (language: string): BlockChange => ({
  id: "prose-and-fence",
  answer: (block, prose) => `${prose}\`\`\`${language}\n${block}\`\`\`\n\nI will tell you what I find.`,
});
const wrongName: BlockChange = { id: "wrong-name", calls: misspell };
/** A draft inside reasoning tags. */
const reasoning: BlockChange = {
  id: "reasoning",
  answer: (block, prose) => `<think>\nMaybe:\n${block}</think>\n${prose}${block}`,
};

/** In the order in which they take turns, as in the lists below. */
export const tamSlips: readonly CallSlip[] = blockSlips(
  [
    {
      id: "alternate-delimiters",
      block: (block) => block.replaceAll(/^(\w+):»»»([\s\S]*?)«««$/gm, "$1: >>>$2<<<"),
    },
    fenced("text"),
    wrongName,
    {
      id: "mixed-delimiters",
      block: (block) =>
        block.replaceAll(
          /^(command\w*):»»»(.*)«««$/gm,
          (_, key: string, value: string) => `${key.toUpperCase()}：》》》${value}《《《`,
        ),
    },
    {
      id: "comments",
      block: (block) => block.replace("\n", "\n# what I am going to do\n").replace(/^(?!<\||$)/gm, "  "),
    },
    { id: "missing-closer", block: (block) => block.replace("«««", "") },
    { id: "missing-end", block: (block) => block.replace("<|[END_TOOL]|>\n", "") },
    reasoning,
    { id: "cut-off", block: (block) => block.slice(0, Math.floor(block.lastIndexOf("«««") / 2 + 12)), cut: true },
  ],
  writeTamBlock,
);

const escapeText: BodyWriter = (value) =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** What an edit looks for, from memory: as it was before somebody wrote its longest word in the plural. */
function misremember(calls: readonly PlannedCall[]): PlannedCall[] {
  const outdated = (find: string): string => {
    const longest = (find.match(/[A-Za-z]{3,}/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a), "");
    return longest === "" ? `${find} ` : find.replace(longest, () => `${longest}s`);
  };
  return calls.map((call) => {
    const { files } = call.input as { files: { edits: { find: string }[] }[] };
    if (call.name !== "edit") return call;
    const changed = files.map((file) => ({
      ...file,
      edits: file.edits.map((edit) => ({ ...edit, find: outdated(edit.find) })),
    }));
    return { ...call, input: { files: changed } };
  });
}

export const toolsxmlSlips: readonly CallSlip[] = blockSlips(
  [
    // Bodies of the built-in tags need no escaping.
    { id: "unescaped", fits: ({ kind }) => !kind.startsWith("project-"), body: (value) => value },
    fenced("xml"),
    { id: "outdated-find", fits: ({ kind }) => kind === "project-fix", calls: misremember },
    { id: "missing-end", block: (block) => block.replace("</tools>\n", "") },
    wrongName,
    { id: "entities", body: escapeText },
    { id: "capitals", block: (block) => block.replace(/<(\/?)tools>/g, "<$1TOOLS >") },
    { id: "envelope", answer: (block, prose) => JSON.stringify({ reply: prose.trim(), tools: block }) },
    reasoning,
    { id: "cut-off", block: (block) => block.slice(0, Math.max(12, block.indexOf("</", 10) - 2)), cut: true },
  ],
  writeToolsBlock,
);

/** A slip in calls of a router. What it refuses is written again. */
interface RouterSlip extends Slip {
  write(calls: readonly RouterCall[], catalog: readonly CatalogLine[]): RouterCall[];
}

const routerSlip = (
  id: string,
  change: (call: RouterCall, capabilities: number) => Partial<RouterCall>,
): RouterSlip => ({
  id,
  write: (calls, catalog) => calls.map((call) => ({ ...call, ...change(call, Math.max(1, catalog.length)) })),
});

export const routerSlips: readonly RouterSlip[] = [
  routerSlip("wrong-number", ({ idx }, capabilities) => ({ idx: (idx + 1) % capabilities })),
  routerSlip("missing-argument", ({ args }) => ({ args: Object.fromEntries(Object.entries(args).slice(1)) })),
  // Numbers and texts in each other's place.
  routerSlip("text-for-number", ({ args }) => ({
    args: Object.fromEntries(
      Object.entries(args).map(([name, value], index) => [
        name,
        typeof value === "number" ? String(value) : index === 0 ? 5 : value,
      ]),
    ),
  })),
  routerSlip("unknown-argument", ({ args }) => ({ args: { ...args, verbose: true } })),
  routerSlip("wrong-name", ({ name }) => ({ name: `${name}s` })),
];
