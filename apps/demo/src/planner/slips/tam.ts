import { field, writeTamBlock } from "../formats/tam.ts";
import { type CallSlip, misspell } from "./slip.ts";

/** In the order in which they take turns. */
export const tamSlips: readonly CallSlip[] = [
  {
    id: "alternate-delimiters",
    title: ">>> and <<< instead of the standard delimiters",
    write: (calls, prose) => prose + writeTamBlock(calls, (key, value) => `${key}: >>>${value}<<<`),
  },
  {
    id: "prose-and-fence",
    title: "prose around a fenced block",
    write: (calls, prose) => `${prose}\`\`\`text\n${writeTamBlock(calls)}\`\`\`\n\nI will tell you what I find.`,
  },
  {
    id: "wrong-name",
    title: "a call to a tool that does not exist, corrected after the error",
    write: (calls, prose) => prose + writeTamBlock(misspell(calls)),
  },
  {
    id: "mixed-delimiters",
    title: "other delimiters for the command than for its parameters, keys in capitals",
    write: (calls, prose) =>
      prose +
      writeTamBlock(calls, (key, value) =>
        key.startsWith("command") ? `${key.toUpperCase()}：》》》${value}《《《` : field(key, value),
      ),
  },
  {
    id: "comments",
    title: "comment lines and an indented block",
    write: (calls, prose) =>
      prose +
      writeTamBlock(calls)
        .replace("\n", "\n# what I am going to do\n")
        .replace(/^(?!<\||$)/gm, "  "),
  },
  {
    id: "missing-closer",
    title: "the command's closing delimiter is missing",
    write: (calls, prose) => prose + writeTamBlock(calls).replace("«««", ""),
  },
  {
    id: "missing-end",
    title: "the end marker is missing",
    write: (calls, prose) => prose + writeTamBlock(calls).replace("<|[END_TOOL]|>\n", ""),
  },
  {
    id: "reasoning",
    title: "a draft inside reasoning tags",
    write: (calls, prose) =>
      `<think>\nMaybe:\n${writeTamBlock(misspell(calls))}</think>\n${prose}${writeTamBlock(calls)}`,
  },
  {
    id: "cut-off",
    title: "an answer that ends in the middle, written again",
    write: (calls, prose) => {
      const text = prose + writeTamBlock(calls);
      return text.slice(0, Math.floor((prose.length + text.lastIndexOf("«««")) / 2 + 12));
    },
    cut: true,
  },
];
