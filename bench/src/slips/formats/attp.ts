import { parse as parseToml } from "smol-toml";
import type { SlipBody } from "../bodies.ts";
import type { Format, Slipped, Value, Written } from "../slip.ts";
import { type AttpCall, damagedAtEnd, damagedBeforeNext } from "./attp-documents.ts";
import { insertLine } from "./insert-line.ts";

/** What may differ from the template, piece by piece. */
interface Pieces {
  thought: string;
  header: string;
  status: string;
  target: string;
  code: string;
  open: string;
  close: string;
}

const template: Pieces = {
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
function raw({ code }: AttpCall, changed: Partial<Pieces> = {}): Written {
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

const escapeBasic = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');

/** The right output: a literal string, or an escaped one where the code holds its quotes. */
function write([call]: readonly AttpCall[]): Written {
  const code = call?.code ?? "";
  if (!code.includes("'''")) return raw({ code });
  return raw({ code: escapeBasic(code) }, { open: '"""\n', close: '\n"""\n' });
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

const one = (call: AttpCall, variants: Record<string, Partial<Pieces>>): Slipped[] =>
  Object.entries(variants).map(([variant, changed]) => ({
    variant,
    text: raw(call, changed).text,
    meant: [value(call)],
  }));

const plain = (call: AttpCall): boolean => !call.code.includes("'''");

/** Slips in TOML; those in delimiters need a code that a literal string can hold. */
const slips: Format<AttpCall>["slips"] = {
  "own-closers": (call, body, random) => {
    const lines = {
      "one-line docstring": "    '''Says what it does.'''",
      "docstring of many lines": "'''\nSays what it does,\nat length.\n'''",
      "string in a line": "note = '''it's fine''' + \"x\"",
      "quotes alone": "'''",
      "quotes at a line's end": "text = '''",
    };
    const found = Object.entries(lines).map(([variant, line]) => {
      const code = { code: insertLine(call.code, line, random) };
      return { variant, text: raw(code).text, meant: [value(code)] };
    });
    const twice = {
      code: insertLine(insertLine(call.code, lines["one-line docstring"], random), "x = '''y'''", random),
    };
    found.push({ variant: "twice", text: raw(twice).text, meant: [value(twice)] });
    if (body.kind === "docstring" || body.kind === "attp")
      found.push({ variant: "as it stands", text: raw(call).text, meant: [value(call)] });
    return found;
  },

  "two-calls": damagedBeforeNext,

  "missing-closer": (call, body, random) => {
    if (!plain(call)) return [];
    const { text } = raw(call, { close: "\n" });
    const meant = [value(call)];
    return [
      { variant: "at the end", text, meant },
      { variant: "before the fence's end", text: `\`\`\`toml\n${text}\`\`\`\n`, meant },
      { variant: "before prose", text: `${text}\nThis writes the file.\n`, meant },
      { variant: "before a key", text: `${text}message = "done"\n`, meant },
      ...damagedAtEnd(call, body, random),
    ];
  },

  "missing-opener": (call) =>
    plain(call)
      ? one(call, {
          "no header": { header: "" },
          "no thought, no header": { thought: "", header: "" },
          "no status": { status: "" },
          "no quotes before the code": { open: "\n" },
          "only the code": { thought: "", header: "", status: "", target: "" },
        })
      : [],

  "wrong-delimiters": (call) =>
    plain(call)
      ? one(call, {
          "three double quotes, not escaped": { open: '"""\n', close: '\n"""\n' },
          "opened single, closed double": { close: '\n"""\n' },
          "opened double, closed single": { open: '"""\n' },
          "one double quote": { open: '"', close: '\n"\n' },
          "one single quote": { open: "'", close: "\n'\n" },
          backticks: { open: "```\n", close: "\n```\n" },
          "four quotes": { open: "''''\n", close: "\n''''\n" },
          "two quotes at the end": { close: "\n''\n" },
        })
      : [],

  escapes: (_, { text: body }, random) => {
    if (/"""|'''/.test(body)) return [];
    const lines = [
      'path = "C:\\Users\\new"',
      'ok = re.match("\\d+\\.\\w*", line)',
      'print("a\\tb\\n")',
      "x = '\\'' + '\\\\'",
    ];
    return [1, 2].map((count) => {
      let code = body;
      for (let done = 0; done < count; done += 1) code = insertLine(code, random.pick(lines), random);
      const { text } = raw({ code }, { open: '"""\n', close: '\n"""\n' });
      return { variant: `${count} lines of backslashes, not doubled`, text, meant: [value({ code })] };
    });
  },

  entities: (call) => {
    const escaped = call.code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    if (escaped === call.code || !plain(call)) return [];
    return [{ variant: "body escaped", text: raw({ code: escaped }).text, meant: [value(call)] }];
  },

  "fence-nested": (call, _, random) => {
    if (!plain(call)) return [];
    const info = random.pick(["python", "", "py"]);
    const changed = { open: `'''\n\`\`\`${info}\n`, close: "\n```\n'''\n" };
    return one(call, {
      [`in the string, ${info}`]: changed,
      "instead of the string": { open: `\`\`\`${info}\n`, close: "\n```\n" },
    });
  },

  "case-space": (call) =>
    plain(call)
      ? one(call, {
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
          "spaces at line ends": {
            header: "[tool_call]  \n",
            status: 'status = "success"  \n',
            open: "'''\n",
            close: "\n'''  \n",
          },
          "bare success": { status: "status = success\n" },
          colons: { status: 'status: "success"\n', target: 'target: "x"\n', code: "code: " },
        })
      : [],

  "odd-quotes": (call) =>
    plain(call)
      ? one(call, {
          "curly quotes": { status: "status = “success”\n", target: "target = “do it”\n" },
          "curly single quotes": { status: "status = ‘success’\n" },
          "curly quotes around the code": { open: "‘‘‘\n", close: "\n’’’\n" },
          "full-width signs": { status: 'status ＝ "success"\n', code: "code ＝ " },
          "no-break spaces": { status: 'status\u00a0=\u00a0"success"\n', code: "code\u00a0=\u00a0" },
        })
      : [],

  duplicates: (call) =>
    plain(call)
      ? one(call, {
          "code twice": { target: "code = '''\nprint('draft')\n'''\n" },
          "status twice": { target: 'status = "success"\n' },
          "header twice": { status: 'status = "success"\n\n[tool_call]\nstatus = "success"\n' },
          "fail, then success": { target: 'status = "fail"\nmessage = "no"\n' },
        }).map((slipped) => ({ ...slipped, lost: true }))
      : [],

  "near-names": (call) =>
    plain(call)
      ? one(call, {
          "[tool_calls]": { header: "[tool_calls]\n" },
          "[toolcall]": { header: "[toolcall]\n" },
          script: { code: "script = " },
          codes: { code: "codes = " },
          thoughts: { thought: 'thoughts = "x"\n' },
          "status = ok": { status: 'status = "ok"\n' },
          "status = succes": { status: 'status = "succes"\n' },
        })
      : [],

  indented: (call, _, random) => {
    const by = " ".repeat(random.pick([2, 3, 4, 8]));
    const indent = (text: string): string => text.replace(/^(?=[^\n])/gm, by);
    const { text } = write([call]);
    const meant = [value(call)];
    return [
      { variant: "with its fence", text: `1. Write it:\n\n${indent(`\`\`\`toml\n${text}\`\`\`\n`)}`, meant },
      { variant: "within its fence", text: `\`\`\`toml\n${indent(text)}\`\`\`\n`, meant },
    ];
  },

  "other-notation": (call) => {
    const call_ = { status: "success", target: "do it", code: `${call.code}\n` };
    const json = JSON.stringify({ thought: "Do it.", tool_call: call_ }, undefined, 2);
    const meant = [value(call)];
    const foreign = JSON.stringify({ name: "run_code", arguments: { code: call.code } });
    return [
      { variant: "JSON", text: `${json}\n`, meant },
      { variant: "JSON in a fence", text: `\`\`\`json\n${json}\n\`\`\`\n`, meant },
      { variant: "a JSON tool call", text: `${foreign}\n`, meant: [], lost: true },
    ];
  },
};

/** ATTP: TOML documents with code. */
export const attpFormat: Format<AttpCall> = {
  id: "attp",
  tools: [],
  calls,
  write,
  value,
  manyCalls: false,
  mentions: [
    "I answer with a `[tool_call]` table; its `code = '''` string holds a program.",
    "The header is [tool_call], and status = success means that code follows.",
    'Use `thought = """` first.',
  ],
  madeUpResult: '[tool_result]\nstatus = "success"\nresult = "3 rows"\n',
  other: { code: '__result__ = search_web("toml")' },
  slips,
  meanings,
  isOwn: ({ kind }) => kind === "attp" || kind === "docstring",
};
