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
  close: string;
}

const usual: Layout = { thought: 'thought = "t"\n\n', header: "[tool_call]\n", close: "'''\n" };

/** Messages with documents in them: what stands before, between and after. */
const messages = Object.entries({
  bare: ["", "\n", ""],
  tight: ["", "", ""],
  "with prose": ["First this.\n\n", "\nAnd then:\n\n", "\nThat is all.\n"],
  fenced: ["```toml\n", "```\n\n```toml\n", "```\n"],
  "fenced, prose": ["Here:\n```\n", "```\n\nThen this:\n\n```\n", "```\nDone.\n"],
  "in one fence": ["```toml\n", "\n", "```\n"],
});

const layouts = Object.entries<Partial<Layout>>({
  "as the template": {},
  "long thoughts": { thought: 'thought = """\nIt is needed,\nso do it.\n"""\n\n' },
  "literal thoughts": { thought: "thought = '''\nIt is needed.\n'''\n" },
  "no thoughts": { thought: "" },
  "no headers": { header: "" },
  neither: { thought: "", header: "" },
});

const inLines = (list: string): string[] => list.split(" | ").map((close) => `${close}\n`);

/** What may stand where `'''` belongs, or behind it. */
const closers: readonly string[] = [
  ...inLines(`'' | ' | '''' | ''''' | """ | "" | \`\`\` | ‘‘‘ | ’’’ | '' ' | \\'\\'\\' | `),
  "",
  ...inLines("'''\n''' | ''' ''' | ''', | '''; | '''\n, | '''\n--- | '''\n</code> | '''\n\nThis does it."),
  ...inLines("''' # done | ''' This does it. | '''\n] | '''\n} | '''\n\"\"\" | '''\n''"),
];

function documentOf(code: string, layout: Partial<Layout>): string {
  const { thought, header, close } = { ...usual, ...layout };
  return `${thought}${header}status = "success"\ntarget = "g"\ncode = '''\n${code}\n${close}`;
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
export function damagedBeforeNext({ code }: AttpCall, random: Random): Slipped[] {
  if (!mayCarry(code)) return [];
  return closers.flatMap((close) => {
    const [message, [before, between, after]] = random.pick(messages) as [string, string[]];
    const [name, layout] = random.pick(layouts);
    const second = random.pick(small);
    const first = random.between(0, 1) ? code : random.pick(small);
    if (first.includes('"""') && close.includes('"""')) return [];
    const text = `${before}${documentOf(first, { ...layout, close })}${between}${documentOf(second, layout)}${after}`;
    const variant = `${JSON.stringify(close)} before the next document, ${message}, ${name}`;
    return [{ variant, text, meant: meant(first, second) }];
  });
}

/** One document with something behind its closer, or another closer. */
export function damagedAtEnd({ code }: AttpCall, random: Random): Record<string, string> {
  if (!mayCarry(code)) return {};
  const variants = closers.map((close) => {
    const [message, [before, , after]] = random.pick(messages) as [string, string[]];
    const [name, layout] = random.pick(layouts);
    const text = `${before}${documentOf(code, { ...layout, close })}${after}`;
    return [`${JSON.stringify(close)} at the end, ${message}, ${name}`, text];
  });
  return Object.fromEntries(variants);
}

/** A literal string can hold it, and it is a program as it stands: neither indented nor fenced as a whole. */
const mayCarry = (code: string): boolean =>
  !/'''|"""|\\/.test(code) && !/^\s*(?:```|~~~)/.test(code) && /^\S/.test(code);
