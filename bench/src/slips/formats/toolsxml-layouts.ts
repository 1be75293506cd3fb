import type { SlipBody } from "../bodies.ts";
import { damageOne } from "../damage.ts";
import type { Random } from "../random.ts";
import type { Slipped, Value } from "../slip.ts";
import { cdata, rightEncoding, type ToolsXmlCall } from "./toolsxml-write.ts";

/** What stands before tags. */
interface Layout {
  name: string;
  call: string;
  file: string;
  pair: string;
  replace: string;
  /** Bodies stand on lines of their own. */
  lines: boolean;
}

const layouts: readonly Layout[] = [
  { name: "tight", call: "", file: "", pair: "", replace: "", lines: false },
  { name: "spaces", call: " ", file: " ", pair: " ", replace: " ", lines: false },
  { name: "a call a line", call: "\n", file: "", pair: "", replace: "", lines: false },
  { name: "a pair a line", call: "\n", file: "\n", pair: "\n", replace: "", lines: false },
  { name: "a tag a line", call: "\n", file: "\n", pair: "\n", replace: "\n", lines: false },
  { name: "indented", call: "\n  ", file: "\n    ", pair: "\n      ", replace: "\n      ", lines: true },
  { name: "blank lines", call: "\n\n", file: "\n", pair: "\n\n", replace: "\n", lines: true },
];

/** Tags and what stands between them; tags can be damaged. */
type Piece = string | { tag: string; attributes: string };

const open = (name: string, attributes = ""): Piece => ({ tag: `<${name}>`, attributes });
const close = (name: string): Piece => ({ tag: `</${name}>`, attributes: "" });

/** Attributes stay as they are, whatever is wrong with their tag. */
const withAttributes = (tag: string, attributes: string): string => tag.replace(/(\w)(\W*)$/, `$1${attributes}$2`);

function element(name: string, call: ToolsXmlCall, layout: Layout, attributes = ""): Piece[] {
  const { body } = call;
  const raw = rightEncoding(call) === "raw" && !/^[\s>]|[\s<]$/.test(body);
  const lines = raw && (layout.lines || (name === "command" && layout.call.includes(" ")));
  const text = raw ? (lines ? `\n${body}\n` : body) : cdata(body);
  return [open(name, attributes), text, close(name)];
}

const inEdit = (name: "find" | "replace", body: string, layout: Layout): Piece[] =>
  element(name, { tag: "edit", src: "", find: "", body }, layout);

/** An edit with several pairs, some in a second file. */
function edit(path: string, pairs: readonly (readonly [string, string])[], layout: Layout): Piece[] {
  const { call, file, pair, replace } = layout;
  const inFile = (src: string, list: typeof pairs): Piece[] => [
    file,
    open("file", ` src="${src}"`),
    ...list.flatMap(([one, other]) => [
      pair,
      ...inEdit("find", one, layout),
      replace,
      ...inEdit("replace", other, layout),
    ]),
    file,
    close("file"),
  ];
  return [
    call,
    open("edit"),
    ...inFile(path, pairs.slice(0, 2)),
    ...inFile("z.txt", pairs.slice(2)),
    call,
    close("edit"),
  ];
}

function blockOf(body: SlipBody, layout: Layout): { pieces: Piece[]; meant: Value[] } {
  const { call } = layout;
  const pairs = [
    ["x = 0", "x = 1"],
    ["TODO: fill in", body.text],
    ["y = 0", "y = 2"],
  ] as const;
  const edits = ([first, second, third]: typeof pairs): Value => ({
    tool: "edit",
    files: [
      { src: "a.txt", edits: [first, second].map(([find, replace]) => ({ find, replace })) },
      { src: "z.txt", edits: [{ find: third[0], replace: third[1] }] },
    ],
  });
  const script = body.kind === "shell" ? body.text : "npm test";
  const command = (text: string): Piece[] => [call, ...element("command", { tag: "command", body: text }, layout)];
  const write: ToolsXmlCall = { tag: "write_file", path: "b.txt", body: body.text };
  return {
    pieces: [
      open("tools"),
      ...command("git status"),
      ...command(script),
      ...edit("a.txt", pairs, layout),
      call,
      ...element("write_file", write, layout, ' path="b.txt"'),
      call,
      ...element("write_file", { ...write, body: "c" }, layout, ' path="c.txt"'),
      ...command("ls"),
      "\n",
      close("tools"),
      "\n",
    ],
    meant: [
      { tool: "command", script: "git status" },
      { tool: "command", script: script.trim() },
      edits(pairs),
      { tool: "custom", name: "write_file", input: { path: "b.txt", content: body.text } },
      { tool: "custom", name: "write_file", input: { path: "c.txt", content: "c" } },
      { tool: "command", script: "ls" },
    ],
  };
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : withAttributes(piece.tag, piece.attributes))).join("");

/** So many damaged tags of each layout of a body. */
const perLayout = 4;

/** Several calls and several pairs in other layouts, right ones and such with one damaged tag. */
export const layoutSlips = {
  layouts: (call: ToolsXmlCall, body: SlipBody): Slipped[] =>
    call.tag !== "edit"
      ? []
      : layouts.map((layout) => {
          const { pieces, meant } = blockOf(body, layout);
          return { variant: layout.name, text: textOf(pieces), meant };
        }),

  "damaged-in-layout": (call: ToolsXmlCall, body: SlipBody, random: Random): Slipped[] =>
    call.tag !== "edit"
      ? []
      : layouts.flatMap((layout) => {
          const { pieces, meant } = blockOf(body, layout);
          const tags = pieces.flatMap((piece, index) => (typeof piece === "string" ? [] : [{ ...piece, index }]));
          return Array.from({ length: perLayout }, () => {
            const { index, tag, attributes } = random.pick(tags);
            const { what, text } = damageOne(tag, random);
            const changed = pieces.with(index, withAttributes(text, attributes));
            return { variant: `${layout.name}: ${tag}, ${what}`, text: textOf(changed), meant };
          });
        }),
};
