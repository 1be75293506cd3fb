import type { SlipBody } from "../bodies.ts";
import { type LaidOut, layoutSlips, type Piece } from "../layouts.ts";
import { escapeXml } from "../random.ts";
import type { Format, Value, Written } from "../slip.ts";

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

function written({ path, content }: XmlCall, changed: Partial<Style> = {}): Written {
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

const raw = (call: XmlCall, changed?: Partial<Style>): string => written(call, changed).text;

/** Every body up to its first closing tag: a right output if that takes up all. */
function meanings(text: string): Value[][] {
  const match = /^<write_file>\n<path>([^<\n]*)<\/path>\n<content>\n([\s\S]*?)\n<\/content>\n<\/write_file>\n$/.exec(
    text,
  );
  return match ? [[{ path: match[1] ?? "", content: match[2] ?? "" }]] : [];
}

/** What stands between tags; bodies stand directly between theirs. */
const layouts: Readonly<Record<string, string>> = { tight: "", spaces: " ", "a tag a line": "\n", indented: "\n  " };

const other: XmlCall = { path: "notes.txt", content: "a note" };

/** Two calls in every layout, as their tags and what stands between. */
const layOut = (call: XmlCall): LaidOut[] =>
  Object.entries(layouts).map(([name, space]) => {
    const tag = (name: string): Piece => ({ delimiter: `<${name}>` });
    const call_ = ({ path, content }: XmlCall): Piece[] => [
      ...[tag("write_file"), space, tag("path"), path, tag("/path"), space],
      ...[tag("content"), content, tag("/content"), space, tag("/write_file")],
    ];
    const pieces = [...call_(other), space, ...call_(call), "\n"];
    return { name: `two, ${name}`, pieces, meant: [value(other), value(call)] };
  });

/** Tags around texts, for peers. */
export const xmlFormat: Format<XmlCall, Style> = {
  id: "xml",
  tools: [],
  calls: ({ path, text }: SlipBody) => [{ path, content: text }],
  write: ([call]) => written(call ?? { path: "", content: "" }),
  raw,
  value,
  withBody: ({ path, content }, change) => ({ path, content: change(content) }),
  manyCalls: false,
  mentions: [
    "I use `<write_file>` for files.",
    "The call is `<write_file>…</write_file>` with `<path>` and `<content>`.",
    "Use the <write_file> tag to write files.",
  ],
  madeUpResult: "<tool_response>\n3 rows\n</tool_response>\n",
  other,
  closers: () => ({
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
  }),
  slips: {
    ...layoutSlips(layOut),
    "missing-closer": {
      "of the body": { bodyClose: "\n" },
      "of the path": { pathClose: "\n" },
      "of both": { bodyClose: "\n", close: "" },
    },
    "missing-end": { "no closer of the call": { close: "" }, "half of it": { close: "</write_" } },
    "wrong-delimiters": {
      "closed as text": { bodyClose: "\n</text>\n" },
      "closed as path": { bodyClose: "\n</path>\n" },
      "closed as a longer name": { bodyClose: "\n</contents>\n" },
      "closed as think": { bodyClose: "\n</think>\n" },
      "closed by an opener": { bodyClose: "\n<content>\n" },
      "closer without its end": { bodyClose: "\n</content\n" },
      "call closed as tool": { close: "</tool>\n" },
    },
    entities: ({ path, content }) => {
      const escaped = escapeXml(content);
      return escaped === content ? {} : { "body escaped": raw({ path, content: escaped }) };
    },
    "case-space": {
      "space in the closer": { bodyClose: "\n</content >\n" },
      "space after the slash": { bodyClose: "\n</ content>\n" },
      "capital closer": { bodyClose: "\n</CONTENT>\n" },
      "space in the call's tag": { open: "<write_file >\n" },
    },
    duplicates: { "path twice": { pathOpen: "<path>draft.txt</path>\n<path>" } },
  },
  meanings,
  isOwn: () => false,
};
