import { basicString, type DocumentParts, thoughtField, writeDocument } from "../formats/attp.ts";
import type { Task } from "../task.ts";
import type { Slip } from "./slip.ts";

/** A slip in an ATTP document. */
export interface AttpSlip extends Slip {
  write(parts: DocumentParts, task: Task): string;
}

/** Whether a task changes something: then a program must not be run twice. */
export const writes = ({ tools }: Task): boolean => tools.includes("create_ticket") || tools.includes("delete_record");
/** Whether a task calls a tool at all. */
export const callsTool = ({ tools }: Task): boolean => tools.length > 0;

/** Slips in the document itself, whatever its program is written in. */
export const documentSlips: readonly AttpSlip[] = [
  {
    id: "missing-header",
    title: "the [tool_call] line is missing",
    write: (parts) => writeDocument(parts).replace("[tool_call]\n", ""),
  },
  {
    id: "prose-and-fence",
    title: "prose around a fenced document",
    write: (parts) =>
      `Sure, here is the program:\n\n\`\`\`toml\n${writeDocument(parts)}\`\`\`\n\nLet me know if you need more.`,
  },
  {
    id: "curly-quotes",
    title: "curly quotes as delimiters",
    write: (parts) => writeDocument(parts).replace('status = "success"', "status = “success”"),
  },
  {
    id: "late-thought",
    title: "the thought after the table",
    write: ({ thought, target, code }) =>
      `[tool_call]\nstatus = "success"\ntarget = ${basicString(target)}\ncode = '''\n${code}\n'''\n${thoughtField(thought)}\n`,
  },
  {
    id: "loose-syntax",
    title: "a bare word instead of a string",
    write: (parts) => writeDocument(parts).replace('status = "success"', "status = success  // ok"),
  },
  {
    id: "json",
    title: "the same document as JSON",
    write: ({ thought, target, code }) =>
      `\`\`\`json\n${JSON.stringify({ thought, tool_call: { status: "success", target, code } }, null, 2)}\n\`\`\`\n`,
  },
  {
    id: "reasoning",
    title: "reasoning tags and an unclosed fence",
    write: (parts) => `<think>\nI should write one document.\n</think>\n\`\`\`toml\n${writeDocument(parts)}`,
  },
  {
    id: "cut-off",
    title: "an answer that ends in the middle, written again",
    write: (parts) => {
      const text = writeDocument(parts);
      return text.slice(0, text.indexOf("code = '''") + 20 + Math.floor(parts.code.length / 2));
    },
    cut: true,
  },
];

/** A fence around the code, in its own language. */
export const fencedCode = (language: string): AttpSlip => ({
  id: "nested-fence",
  title: "the code in a fence of its own",
  write: (parts) => writeDocument({ ...parts, code: `\`\`\`${language}\n${parts.code}\n\`\`\`` }),
});

/** Slips in a program that an error tells of, in either language. */
export const programSlips: readonly AttpSlip[] = [
  {
    id: "wrong-name",
    title: "a call to a tool that does not exist, corrected after the error",
    fits: callsTool,
    write: (parts, { tools }) => {
      const name = tools[0] ?? "";
      return writeDocument({ ...parts, code: parts.code.replace(`${name}(`, `${name}s(`) });
    },
  },
  {
    id: "missing-result",
    title: "no __result__, corrected after the error",
    fits: (task) => !writes(task),
    write: (parts) => writeDocument({ ...parts, code: parts.code.replaceAll("__result__", "result") }),
  },
];
