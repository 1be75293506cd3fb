import type { SlipBody } from "../bodies.ts";
import type { Random } from "../random.ts";
import type { Slipped } from "../slip.ts";

/** A program to run, without a line break at its end. */
export interface AttpCall {
  code: string;
}

/** How one document of a message is written. */
interface Layout {
  thought: string;
  header: string;
  open: string;
  close: string;
}

/** A message with documents in it: what stands around and between them. */
interface Message {
  name: string;
  before: string;
  between: string;
  after: string;
}

const usual: Layout = { thought: 'thought = "t"\n\n', header: "[tool_call]\n", open: "'''\n", close: "'''\n" };

const messages: readonly Message[] = [
  { name: "bare", before: "", between: "\n", after: "" },
  { name: "tight", before: "", between: "", after: "" },
  { name: "with prose", before: "First this.\n\n", between: "\nAnd then:\n\n", after: "\nThat is all.\n" },
  { name: "fenced", before: "```toml\n", between: "```\n\n```toml\n", after: "```\n" },
  { name: "fenced, prose", before: "Here:\n```\n", between: "```\n\nThen this:\n\n```\n", after: "```\nDone.\n" },
  { name: "in one fence", before: "```toml\n", between: "\n", after: "```\n" },
];

const layouts: Readonly<Record<string, Partial<Layout>>> = {
  "as the template": {},
  "long thoughts": { thought: 'thought = """\nIt is needed,\nso do it.\n"""\n\n' },
  "literal thoughts": { thought: "thought = '''\nIt is needed.\n'''\n" },
  "no thoughts": { thought: "" },
  "no headers": { header: "" },
  neither: { thought: "", header: "" },
};

/** What may stand where `'''` belongs, or behind it. */
const closers: readonly string[] = [
  ...[
    "''\n",
    "'\n",
    "''''\n",
    "'''''\n",
    '"""\n',
    '""\n',
    "```\n",
    "‘‘‘\n",
    "’’’\n",
    "'' '\n",
    "\\'\\'\\'\n",
    "\n",
    "",
  ],
  ...[
    "'''\n'''\n",
    "''' '''\n",
    "''',\n",
    "''';\n",
    "'''\n,\n",
    "'''\n---\n",
    "'''\n</code>\n",
    "'''\n\nThis does it.\n",
  ],
  ...["''' # done\n", "''' This does it.\n", "'''\n]\n", "'''\n}\n", "'''\n\"\"\"\n", "'''\n''\n"],
];

function documentOf(code: string, layout: Partial<Layout>): string {
  const { thought, header, open, close } = { ...usual, ...layout };
  return `${thought}${header}status = "success"\ntarget = "g"\ncode = ${open}${code}\n${close}`;
}

/** Small programs that are TOML in part, so that a string which ends too late may be read all the same. */
const small: readonly string[] = [
  'text = """a"""',
  "x = 1",
  "rows = [1,\n  2]",
  'a = "b"\nc = true',
  "# nothing",
  "f('x')",
];

const meant = (...codes: readonly string[]): Slipped["meant"] => codes.map((code) => ({ code: `${code}\n` }));

/** Two documents, the first of which lost its closer, or has another one. */
export function damagedBeforeNext({ code }: AttpCall, _: SlipBody, random: Random): Slipped[] {
  if (!mayCarry(code)) return [];
  return closers.flatMap((close) => {
    const message = random.pick(messages);
    const name = random.pick(Object.keys(layouts));
    const second = random.pick(small);
    const first = random.between(0, 1) ? code : random.pick(small);
    if (first.includes('"""') && close.includes('"""')) return [];
    const text = `${message.before}${documentOf(first, { ...layouts[name], close })}${message.between}${documentOf(second, layouts[name] ?? {})}${message.after}`;
    const variant = `${JSON.stringify(close)} before the next document, ${message.name}, ${name}`;
    return [{ variant, text, meant: meant(first, second) }];
  });
}

/** One document with something behind its closer, or another closer. */
export function damagedAtEnd({ code }: AttpCall, _: SlipBody, random: Random): Slipped[] {
  if (!mayCarry(code)) return [];
  return closers.flatMap((close) => {
    const { name, before, after } = random.pick(messages);
    const layout = random.pick(Object.keys(layouts));
    const text = `${before}${documentOf(code, { ...layouts[layout], close })}${after}`;
    return [{ variant: `${JSON.stringify(close)} at the end, ${name}, ${layout}`, text, meant: meant(code) }];
  });
}

/** A literal string can hold it, and it is a program as it stands: neither indented nor fenced as a whole. */
const mayCarry = (code: string): boolean =>
  !/'''|"""|\\/.test(code) && !/^\s*(?:```|~~~)/.test(code) && /^\S/.test(code);
