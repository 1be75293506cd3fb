import type { SlipBody } from "../bodies.ts";
import { damageOne } from "../damage.ts";
import type { Format, Slipped, Value, Written } from "../slip.ts";
import { insertLine } from "./insert-line.ts";

/** A file to write, as tags around texts: the format that peers read. */
export interface XmlCall {
  path: string;
  content: string;
}

interface Style {
  open: string;
  pathOpen: string;
  pathClose: string;
  bodyOpen: string;
  bodyClose: string;
  close: string;
}

const template: Style = {
  open: "<write_file>\n",
  pathOpen: "<path>",
  pathClose: "</path>\n",
  bodyOpen: "<content>\n",
  bodyClose: "\n</content>\n",
  close: "</write_file>\n",
};

const value = ({ path, content }: XmlCall): Value => ({ path, content });

function raw({ path, content }: XmlCall, changed: Partial<Style> = {}): Written {
  const style = { ...template, ...changed };
  const fields = style.open + style.pathOpen + path + style.pathClose;
  const head = fields + style.bodyOpen;
  return {
    text: head + content + style.bodyClose + style.close,
    begun: style.open.length,
    valueEnd: head.length + content.length,
    complete: (head + content + style.bodyClose).trimEnd().length,
    values: [
      [(style.open + style.pathOpen).length, (style.open + style.pathOpen + path).length],
      [head.length, head.length + content.length],
    ],
    seams: [fields.length],
  };
}

/** Every body up to its first closing tag: a right output if that takes up all. */
function meanings(text: string): Value[][] {
  const match = /^<write_file>\n<path>([^<\n]*)<\/path>\n<content>\n([\s\S]*?)\n<\/content>\n<\/write_file>\n$/.exec(
    text,
  );
  return match ? [[{ path: match[1] ?? "", content: match[2] ?? "" }]] : [];
}

const one = (call: XmlCall, variants: Record<string, Partial<Style>>): Slipped[] =>
  Object.entries(variants).map(([variant, changed]) => ({
    variant,
    text: raw(call, changed).text,
    meant: [value(call)],
  }));

/** What stands between tags; bodies stand directly between theirs. */
const layouts: Readonly<Record<string, string>> = { tight: "", spaces: " ", "a tag a line": "\n", indented: "\n  " };

const other: XmlCall = { path: "notes.txt", content: "a note" };

/** Two calls, as their tags and what stands between. */
function two(call: XmlCall, space: string): string[] {
  const written = ({ path, content }: XmlCall): string[] => [
    ...["<write_file>", space, "<path>", path, "</path>", space],
    ...["<content>", content, "</content>", space, "</write_file>"],
  ];
  return [...written(other), space, ...written(call), "\n"];
}

const slips: Format<XmlCall>["slips"] = {
  layouts: (call) =>
    Object.entries(layouts).map(([variant, space]) => ({
      variant: `two, ${variant}`,
      text: two(call, space).join(""),
      meant: [value(other), value(call)],
    })),
  "damaged-in-layout": (call, _, random) =>
    Object.entries(layouts).flatMap(([variant, space]) =>
      Array.from({ length: 4 }, () => {
        const pieces = two(call, space);
        const tags = pieces.flatMap((piece, index) =>
          /^<\/?(?:write_file|path|content)>$/.test(piece) ? [index] : [],
        );
        const at = random.pick(tags);
        const { what, text } = damageOne(pieces[at] ?? "", random);
        return {
          variant: `two, ${variant}: ${pieces[at]}, ${what}`,
          text: pieces.with(at, text).join(""),
          meant: [value(other), value(call)],
        };
      }),
    ),
  "own-closers": (call, _, random) => {
    const lines = {
      "closer in a line": "it ends with </content> here",
      "closer alone": "</content>",
      "pair in a line": "<content>x</content>",
      "empty pair": "<content></content>",
      "opener alone": "<content>",
      "call's closer in a line": "and then </write_file> ends it",
      "call's closer alone": "</write_file>",
      "a whole call": "<write_file>\n<path>x</path>\n<content>y</content>\n</write_file>",
      "a comment": "<!-- not read -->",
      "an open comment": "a <!-- b",
    };
    return Object.entries(lines).map(([variant, line]) => {
      const changed = { ...call, content: insertLine(call.content, line, random) };
      return { variant, text: raw(changed).text, meant: [value(changed)] };
    });
  },
  "missing-closer": (call) =>
    one(call, {
      "of the body": { bodyClose: "\n" },
      "of the path": { pathClose: "\n" },
      "of both": { bodyClose: "\n", close: "" },
    }),
  "missing-end": (call) => one(call, { "no closer of the call": { close: "" }, "half of it": { close: "</write_" } }),
  "wrong-delimiters": (call) =>
    one(call, {
      "closed as text": { bodyClose: "\n</text>\n" },
      "closed as path": { bodyClose: "\n</path>\n" },
      "closed as a longer name": { bodyClose: "\n</contents>\n" },
      "closed as think": { bodyClose: "\n</think>\n" },
      "closed by an opener": { bodyClose: "\n<content>\n" },
      "closer without its end": { bodyClose: "\n</content\n" },
      "call closed as tool": { close: "</tool>\n" },
    }),
  entities: (call) => {
    const content = call.content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    if (content === call.content) return [];
    return [{ variant: "body escaped", text: raw({ ...call, content }).text, meant: [value(call)] }];
  },
  "case-space": (call) =>
    one(call, {
      "space in the closer": { bodyClose: "\n</content >\n" },
      "space after the slash": { bodyClose: "\n</ content>\n" },
      "capital closer": { bodyClose: "\n</CONTENT>\n" },
      "space in the call's tag": { open: "<write_file >\n" },
    }),
  duplicates: (call) =>
    one(call, { "path twice": { pathOpen: "<path>draft.txt</path>\n<path>" } }).map((slip) => ({
      ...slip,
      lost: true,
    })),
};

/** Tags around texts, for peers. */
export const xmlFormat: Format<XmlCall> = {
  id: "xml",
  tools: [],
  calls: ({ path, text }: SlipBody) => [{ path, content: text }],
  write: ([call]) => raw(call ?? { path: "", content: "" }),
  value,
  manyCalls: false,
  mentions: [
    "I use `<write_file>` for files.",
    "The call is `<write_file>…</write_file>` with `<path>` and `<content>`.",
    "Use the <write_file> tag to write files.",
  ],
  madeUpResult: "<tool_response>\n3 rows\n</tool_response>\n",
  other,
  slips,
  meanings,
  isOwn: () => false,
};
