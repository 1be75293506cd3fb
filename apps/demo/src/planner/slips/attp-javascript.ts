import { writeDocument } from "../formats/attp.ts";
import { type AttpSlip, callsTool, documentSlips, fencedCode, programSlips, writes } from "./attp.ts";
import { inTurns } from "./slip.ts";

const value = /"(?:[^"\\]|\\.)*"|`[^`]*`|[\w.]+/.source;
const property = `\\w+(?:: (?:${value}))?`;
/** The one argument of a call: an object of plain values. */
const argument = `\\(\\{\\s*(${property}(?:,\\s*${property})*),?\\s*\\}\\)`;

/** Slips in JavaScript programs: most are habits from Python. Each earns an error whose hint says what to write. */
const javascriptSlips: readonly AttpSlip[] = [
  {
    id: "positional",
    title: "arguments by position, as in Python, corrected after the error",
    fits: callsTool,
    write: (parts, { tools }) => {
      const call = new RegExp(`${tools[0] ?? ""}${argument}`);
      const code = parts.code.replace(call, (_, properties: string) => {
        const values = properties.match(new RegExp(property, "g")) ?? [];
        return `${tools[0]}(${values.map((text) => text.replace(/^\w+: /, "")).join(", ")})`;
      });
      return writeDocument({ ...parts, code });
    },
  },
  {
    id: "python-words",
    title: "print and None, corrected after the error",
    write: (parts) => writeDocument({ ...parts, code: `let last = None;\nprint("working");\n${parts.code}` }),
  },
  {
    id: "python-comment",
    title: "a comment as Python has them, corrected after the error",
    write: (parts) => writeDocument({ ...parts, code: `# one step after another\n${parts.code}` }),
  },
  {
    id: "types",
    title: "TypeScript instead of JavaScript, corrected after the error",
    write: (parts) => writeDocument({ ...parts, code: `let note: string = "working";\n${parts.code}` }),
  },
  {
    id: "import",
    title: "an import, corrected after the error",
    write: (parts) => writeDocument({ ...parts, code: `import fs from "node:fs";\n\n${parts.code}` }),
  },
  {
    id: "missing-await",
    title: "a call without await, corrected after the error",
    // Elsewhere a promise goes unseen: only what takes a list apart tells of it.
    fits: (task) => /\] = await /.test(task.code?.javascript ?? "") && !writes(task),
    write: (parts, { tools }) =>
      writeDocument({ ...parts, code: parts.code.replace(`await ${tools[0]}(`, `${tools[0]}(`) }),
  },
  fencedCode("javascript"),
];

/** In the order in which they take turns. */
export const attpJavascriptSlips: readonly AttpSlip[] = inTurns(documentSlips, programSlips, javascriptSlips);
