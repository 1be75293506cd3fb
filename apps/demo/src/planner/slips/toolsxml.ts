import { body, writeToolsBlock } from "../formats/toolsxml.ts";
import { type CallSlip, misspell } from "./slip.ts";

const escapeText = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** In the order in which they take turns. */
export const toolsxmlSlips: readonly CallSlip[] = [
  {
    id: "unescaped",
    title: "bodies with < and & as they are",
    write: (calls, prose) => prose + writeToolsBlock(calls, (value) => value),
  },
  {
    id: "prose-and-fence",
    title: "prose around a fenced block",
    write: (calls, prose) => `${prose}\`\`\`xml\n${writeToolsBlock(calls)}\`\`\`\n\nI will tell you what I find.`,
  },
  {
    id: "wrong-name",
    title: "a call to a tool that does not exist, corrected after the complaint",
    write: (calls, prose) => prose + writeToolsBlock(misspell(calls)),
  },
  {
    id: "entities",
    title: "bodies with entities",
    write: (calls, prose) => prose + writeToolsBlock(calls, escapeText),
  },
  {
    id: "capitals",
    title: "tags in capitals, with white space in them",
    write: (calls, prose) => prose + writeToolsBlock(calls, body).replace(/<(\/?)tools>/g, "<$1TOOLS >"),
  },
  {
    id: "missing-end",
    title: "the closing tag of the block is missing",
    write: (calls, prose) => prose + writeToolsBlock(calls).replace("</tools>\n", ""),
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
