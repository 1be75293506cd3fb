import { body, writeToolsBlock } from "../formats/toolsxml.ts";
import type { PlannedCall } from "../task.ts";
import { type CallSlip, misspell } from "./slip.ts";

const escapeText = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A passage from memory, as it was before somebody wrote one of its words in the plural. */
function misremember(calls: readonly PlannedCall[]): PlannedCall[] {
  return calls.map((call) => {
    if (call.name !== "edit") return call;
    const { files } = call.input as { files: { src: string; edits: { find: string; replace: string }[] }[] };
    const outdated = (find: string): string => {
      const words = [...find.matchAll(/[A-Za-z]{3,}/g)].map(([word]) => word);
      const longest = words.reduce((a, b) => (b.length > a.length ? b : a), "");
      return longest === "" ? `${find} ` : find.replace(longest, () => `${longest}s`);
    };
    return {
      ...call,
      input: {
        files: files.map(({ src, edits }) => ({
          src,
          edits: edits.map((edit) => ({ ...edit, find: outdated(edit.find) })),
        })),
      },
    };
  });
}

/** In the order in which they take turns. */
export const toolsxmlSlips: readonly CallSlip[] = [
  {
    id: "unescaped",
    title: "bodies with < and & as they are",
    // Those of the built-in tags need no escaping.
    fits: ({ kind }) => !kind.startsWith("project-"),
    write: (calls, prose) => prose + writeToolsBlock(calls, (value) => value),
  },
  {
    id: "prose-and-fence",
    title: "prose around a fenced block",
    write: (calls, prose) => `${prose}\`\`\`xml\n${writeToolsBlock(calls)}\`\`\`\n\nI will tell you what I find.`,
  },
  {
    id: "outdated-find",
    title: "an edit whose text is not what the file holds, corrected from what the error shows",
    fits: ({ kind }) => kind === "project-fix",
    write: (calls, prose) => prose + writeToolsBlock(misremember(calls)),
  },
  {
    id: "missing-end",
    title: "the closing tag of the block is missing",
    write: (calls, prose) => prose + writeToolsBlock(calls).replace("</tools>\n", ""),
  },
  {
    id: "wrong-name",
    title: "a call to a tool that does not exist, corrected after the complaint",
    write: (calls, prose) => prose + writeToolsBlock(misspell(calls)),
  },
  {
    id: "entities",
    title: "bodies with entities",
    write: (calls, prose) => prose + writeToolsBlock(calls, escapeText, escapeText),
  },
  {
    id: "capitals",
    title: "tags in capitals, with white space in them",
    write: (calls, prose) => prose + writeToolsBlock(calls, body).replace(/<(\/?)tools>/g, "<$1TOOLS >"),
  },
  {
    id: "envelope",
    title: "the block inside a JSON envelope",
    write: (calls, prose) => JSON.stringify({ reply: prose.trim(), tools: writeToolsBlock(calls) }),
  },
  {
    id: "reasoning",
    title: "a draft inside reasoning tags",
    write: (calls, prose) =>
      `<think>\nMaybe:\n${writeToolsBlock(misspell(calls))}</think>\n${prose}${writeToolsBlock(calls)}`,
  },
  {
    id: "cut-off",
    title: "an answer that ends in the middle, written again",
    write: (calls, prose) => {
      const block = writeToolsBlock(calls);
      return prose + block.slice(0, Math.max(12, block.indexOf("</", 10) - 2));
    },
    cut: true,
  },
];
