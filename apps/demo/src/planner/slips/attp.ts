import { parse } from "smol-toml";
import type { Task } from "../task.ts";
import type { Slip } from "./slip.ts";

/** A slip in an ATTP document: a change of its text. */
interface AttpSlip extends Slip {
  write(document: string, task: Task): string;
}

/** A change of the document's program. */
const inCode =
  (change: (code: string, tool: string) => string): AttpSlip["write"] =>
  (document, { tools }) =>
    document.replace(/(?<=\ncode = '''\n)[\s\S]*(?=\n'''\n$)/, (code) => change(code, tools[0] ?? ""));

/** Whether a task changes something: then a program must not be run twice. */
const writes = ({ tools }: Task): boolean => tools.includes("create_ticket") || tools.includes("delete_record");
const callsTool = ({ tools }: Task): boolean => tools.length > 0;

/** Slips in the document itself, whatever its program is written in. */
const documentSlips: readonly AttpSlip[] = [
  { id: "missing-header", write: (text) => text.replace("[tool_call]\n", "") },
  {
    id: "prose-and-fence",
    write: (text) => `Sure, here is the program:\n\n\`\`\`toml\n${text}\`\`\`\n\nLet me know if you need more.`,
  },
  { id: "curly-quotes", write: (text) => text.replace('status = "success"', "status = “success”") },
  { id: "late-thought", write: (text) => text.replace(/^(thought = """[\s\S]*?\n"""\n)\n([\s\S]*)$/, "$2$1") },
  { id: "loose-syntax", write: (text) => text.replace('status = "success"', "status = success  // ok") },
  { id: "json", write: (text) => `\`\`\`json\n${JSON.stringify(parse(text), null, 2)}\n\`\`\`\n` },
  { id: "reasoning", write: (text) => `<think>\nI should write one document.\n</think>\n\`\`\`toml\n${text}` },
  {
    id: "cut-off",
    write: (text) => text.slice(0, Math.floor((text.indexOf("\ncode = '''") + text.length) / 2)),
    cut: true,
  },
];

/** Slips in a program that an error points out, in either language. */
const programSlips: readonly AttpSlip[] = [
  { id: "wrong-name", fits: callsTool, write: inCode((code, tool) => code.replace(`${tool}(`, `${tool}s(`)) },
  {
    id: "missing-result",
    fits: (task) => !writes(task),
    write: inCode((code) => code.replaceAll("__result__", "result")),
  },
];

const pythonSlips: readonly AttpSlip[] = [
  { id: "import", write: inCode((code) => `import re\nimport json\n\n${code}`) },
  // A docstring with the quotes that end the code.
  {
    id: "inner-quotes",
    write: inCode((code) => `def note(text):\n    '''Shows a line in the log.'''\n    print(text)\n\n${code}`),
  },
  { id: "nested-fence", write: inCode((code) => `\`\`\`python\n${code}\n\`\`\``) },
];

const value = /"(?:[^"\\]|\\.)*"|`[^`]*`|[\w.]+/.source;
const property = `\\w+: (?:${value})`;

/** Slips in JavaScript programs: most are habits from Python. Each earns an error whose hint says what to write. */
const javascriptSlips: readonly AttpSlip[] = [
  {
    // Arguments by position.
    id: "positional",
    fits: callsTool,
    write: inCode((code, tool) =>
      code.replace(
        new RegExp(`(?<=${tool}\\()\\{\\s*(${property}(?:,\\s*${property})*),?\\s*\\}`),
        (_, input: string) =>
          (input.match(new RegExp(property, "g")) ?? []).map((text) => text.replace(/^\w+: /, "")).join(", "),
      ),
    ),
  },
  { id: "python-words", write: inCode((code) => `let last = None;\nprint("working");\n${code}`) },
  { id: "python-comment", write: inCode((code) => `# one step after another\n${code}`) },
  { id: "types", write: inCode((code) => `let note: string = "working";\n${code}`) },
  { id: "import", write: inCode((code) => `import fs from "node:fs";\n\n${code}`) },
  {
    id: "missing-await",
    // Elsewhere a promise goes unseen: only what takes a list apart finds it out.
    fits: (task) => /Promise\.all\(/.test(task.code?.javascript ?? "") && !writes(task),
    write: inCode((code, tool) => code.replace(`await ${tool}(`, `${tool}(`)),
  },
  { id: "nested-fence", write: inCode((code) => `\`\`\`javascript\n${code}\n\`\`\``) },
];

/** One of each list after another. */
function inTurns<Kind>(...lists: readonly (readonly Kind[])[]): Kind[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** In the order in which they take turns. */
export const attpSlips: readonly AttpSlip[] = inTurns(documentSlips, programSlips, pythonSlips);
export const attpJavascriptSlips: readonly AttpSlip[] = inTurns(documentSlips, programSlips, javascriptSlips);
