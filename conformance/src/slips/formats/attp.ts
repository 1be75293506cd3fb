import { parse as parseToml } from "smol-toml";
import type { SlipBody } from "../bodies.ts";
import { escapeXml, indent, insertLine, type Random } from "../random.ts";
import type { Format, Value, Variants, Written } from "../slip.ts";
import { type AttpCall, damagedAtEnd, damagedBeforeNext } from "./attp-documents.ts";

/** What may differ from the template, piece by piece. */
interface Style {
  thought: string;
  header: string;
  status: string;
  target: string;
  code: string;
  open: string;
  close: string;
}

const template: Style = {
  thought: 'thought = """\nThe tools for this are there.\n"""\n\n',
  header: "[tool_call]\n",
  status: 'status = "success"\n',
  target: 'target = "do what was asked"\n',
  code: "code = ",
  open: "'''\n",
  close: "\n'''\n",
};

const value = ({ code }: AttpCall): Value => ({ code: `${code}\n` });

/** A document with the code as it stands, whatever that does to it. */
function written({ code }: AttpCall, changed: Partial<Style> = {}): Written {
  const { thought, header, status, target, code: key, open, close } = { ...template, ...changed };
  const head = thought + header + status + target;
  const before = head + key + open;
  return {
    text: before + code + close,
    begun: (thought + header).length,
    valueEnd: before.length + code.length,
    complete: before.length + code.length + close.trimEnd().length,
    values: [
      [0, thought.length],
      [`${thought + header + status}target = `.length, head.length],
      [before.length, before.length + code.length],
    ],
    seams: [(thought + header + status).length, head.length],
  };
}

const raw = (call: AttpCall, changed?: Partial<Style>): string => written(call, changed).text;
const basic: Partial<Style> = { open: '"""\n', close: '\n"""\n' };

/** The right output: a literal string, or an escaped one where the code holds its quotes. */
function write([call]: readonly AttpCall[]): Written {
  const code = call?.code ?? "";
  if (!code.includes("'''")) return written({ code });
  return written({ code: code.replaceAll("\\", "\\\\").replaceAll('"', '\\"') }, basic);
}

/** Programs in Python stand as they are; other bodies are what a program writes to a file. */
function calls({ kind, path, text }: SlipBody): AttpCall[] {
  const carried = `content = r"""\n${text}\n"""\n__result__ = write_file("${path}", content)`;
  const program = path.endsWith(".py") && !/^ /.test(text) && kind !== "tam";
  return program ? [{ code: text }, { code: carried }] : [{ code: carried }];
}

/** No program begins with a fence, or is indented from its first line to its last. */
const mayBeProgram = (code: string): boolean => !/^\s*```/.test(code) && /^[^\s]/m.test(code);

/** A document that is valid TOML as it stands means what TOML says. */
function meanings(text: string): Value[][] {
  const inner = /^(?:```|~~~)(?:toml)?\n([\s\S]*)\n(?:```|~~~)\n?$/.exec(text)?.[1] ?? text;
  try {
    const { tool_call: call } = parseToml(inner) as { tool_call?: { status?: unknown; code?: unknown } };
    if (call?.status !== "success" || typeof call.code !== "string" || !mayBeProgram(call.code)) return [];
    return [[{ code: call.code }]];
  } catch {
    return [];
  }
}

type Make = (call: AttpCall, body: SlipBody, random: Random) => Variants<Style>;

/** Slips in delimiters need a code that a literal string can hold. */
const literal =
  (variants: Variants<Style> | Make): Make =>
  (call, body, random) => {
    if (call.code.includes("'''")) return {};
    return typeof variants === "function" ? variants(call, body, random) : variants;
  };

const docstring = "    '''Says what it does.'''";

/** ATTP: TOML documents with code. */
export const attpFormat: Format<AttpCall, Style> = {
  id: "attp",
  tools: [],
  calls,
  write,
  raw,
  value,
  withBody: ({ code }, change) => ({ code: change(code) }),
  manyCalls: false,
  mentions: [
    "I answer with a `[tool_call]` table; its `code = '''` string holds a program.",
    "The header is [tool_call], and status = success means that code follows.",
    'Use `thought = """` first.',
  ],
  madeUpResult: '[tool_result]\nstatus = "success"\nresult = "3 rows"\n',
  other: { code: '__result__ = search_web("toml")' },
  meanings,
  isOwn: ({ kind }) => kind === "attp" || kind === "docstring",

  closers: () => ({
    "one-line docstring": docstring,
    "docstring of many lines": "'''\nSays what it does,\nat length.\n'''",
    "string in a line": "note = '''it's fine''' + \"x\"",
    "quotes alone": "'''",
    "quotes at a line's end": "text = '''",
  }),

  slips: {
    "own-closers": (call, { kind }, random) => {
      const twice = { code: insertLine(insertLine(call.code, docstring, random), "x = '''y'''", random) };
      return {
        twice: { text: raw(twice), meant: [value(twice)] },
        ...((kind === "docstring" || kind === "attp") && { "as it stands": {} }),
      };
    },

    "two-calls": (call, _, random) => damagedBeforeNext(call, random),

    "missing-closer": literal((call, _, random) => {
      const text = raw(call, { close: "\n" });
      return {
        "at the end": text,
        "before the fence's end": `\`\`\`toml\n${text}\`\`\`\n`,
        "before prose": `${text}\nThis writes the file.\n`,
        "before a key": `${text}message = "done"\n`,
        ...damagedAtEnd(call, random),
      };
    }),

    "missing-opener": literal({
      "no header": { header: "" },
      "no thought, no header": { thought: "", header: "" },
      "no status": { status: "" },
      "no quotes before the code": { open: "\n" },
      "only the code": { thought: "", header: "", status: "", target: "" },
    }),

    "wrong-delimiters": literal({
      "three double quotes, not escaped": basic,
      "opened single, closed double": { close: '\n"""\n' },
      "opened double, closed single": { open: '"""\n' },
      "one double quote": { open: '"', close: '\n"\n' },
      "one single quote": { open: "'", close: "\n'\n" },
      backticks: { open: "```\n", close: "\n```\n" },
      "four quotes": { open: "''''\n", close: "\n''''\n" },
      "two quotes at the end": { close: "\n''\n" },
    }),

    escapes: (_, { text: body }, random) => {
      if (/"""|'''/.test(body)) return {};
      const lines = [
        'path = "C:\\Users\\new"',
        'ok = re.match("\\d+\\.\\w*", line)',
        'print("a\\tb\\n")',
        "x = '\\'' + '\\\\'",
      ];
      const once = insertLine(body, random.pick(lines), random);
      const twice = insertLine(insertLine(body, random.pick(lines), random), random.pick(lines), random);
      return [once, twice].map((code, index) => ({
        variant: `${index + 1} lines of backslashes, not doubled`,
        text: raw({ code }, basic),
        meant: [value({ code })],
      }));
    },

    entities: literal((call) => {
      const code = escapeXml(call.code);
      return code === call.code ? {} : { "body escaped": raw({ code }) };
    }),

    "fence-nested": literal((_call, _body, random) => {
      const info = random.pick(["python", "", "py"]);
      return {
        [`in the string, ${info}`]: { open: `'''\n\`\`\`${info}\n`, close: "\n```\n'''\n" },
        "instead of the string": { open: `\`\`\`${info}\n`, close: "\n```\n" },
      };
    }),

    "case-space": literal({
      "[Tool_Call]": { header: "[Tool_Call]\n" },
      "[ tool_call ]": { header: "[ tool_call ]\n" },
      "[tool-call]": { header: "[tool-call]\n" },
      "[[tool_call]]": { header: "[[tool_call]]\n" },
      "[tool call]": { header: "[tool call]\n" },
      Status: { status: 'Status = "Success"\n' },
      "CODE=": { code: "CODE=" },
      "commas after values": { status: 'status = "success",\n', target: 'target = "x",\n' },
      "code on the opener's line": { open: "'''" },
      "header and status on one line": { header: "[tool_call] " },
      "no blank lines": { thought: 'thought = "x"\n' },
      "spaces at line ends": { header: "[tool_call]  \n", status: 'status = "success"  \n', close: "\n'''  \n" },
      "bare success": { status: "status = success\n" },
      colons: { status: 'status: "success"\n', target: 'target: "x"\n', code: "code: " },
    }),

    "odd-quotes": literal({
      "curly quotes": { status: "status = “success”\n", target: "target = “do it”\n" },
      "curly single quotes": { status: "status = ‘success’\n" },
      "curly quotes around the code": { open: "‘‘‘\n", close: "\n’’’\n" },
      "full-width signs": { status: 'status ＝ "success"\n', code: "code ＝ " },
      "no-break spaces": { status: 'status\u00a0=\u00a0"success"\n', code: "code\u00a0=\u00a0" },
    }),

    duplicates: literal({
      "code twice": { target: "code = '''\nprint('draft')\n'''\n" },
      "status twice": { target: 'status = "success"\n' },
      "header twice": { status: 'status = "success"\n\n[tool_call]\nstatus = "success"\n' },
      "fail, then success": { target: 'status = "fail"\nmessage = "no"\n' },
    }),

    "near-names": literal({
      "[tool_calls]": { header: "[tool_calls]\n" },
      "[toolcall]": { header: "[toolcall]\n" },
      script: { code: "script = " },
      codes: { code: "codes = " },
      thoughts: { thought: 'thoughts = "x"\n' },
      "status = ok": { status: 'status = "ok"\n' },
      "status = succes": { status: 'status = "succes"\n' },
    }),

    indented: (call, _, random) => {
      const by = " ".repeat(random.pick([2, 3, 4, 8]));
      const { text } = write([call]);
      return {
        "with its fence": `1. Write it:\n\n${indent(`\`\`\`toml\n${text}\`\`\`\n`, by)}`,
        "within its fence": `\`\`\`toml\n${indent(text, by)}\`\`\`\n`,
      };
    },

    "other-notation": ({ code }) => {
      const call = { status: "success", target: "do it", code: `${code}\n` };
      const json = JSON.stringify({ thought: "Do it.", tool_call: call }, undefined, 2);
      const foreign = `${JSON.stringify({ name: "run_code", arguments: { code } })}\n`;
      return {
        JSON: `${json}\n`,
        "JSON in a fence": `\`\`\`json\n${json}\n\`\`\`\n`,
        "a JSON tool call": { text: foreign, meant: [], lost: true },
      };
    },
  },
};
