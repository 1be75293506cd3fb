import type { SlipBody } from "../bodies.ts";
import { type LaidOut, layoutSlips, type Piece } from "../layouts.ts";
import { cdata, rightEncoding, type ToolsXmlCall, value } from "./toolsxml-write.ts";

/** What stands before tags, and whether bodies stand on lines of their own. */
interface Layout {
  name: string;
  call: string;
  file: string;
  pair: string;
  replace: string;
  lines?: true;
}

const layouts: readonly Layout[] = [
  { name: "tight", call: "", file: "", pair: "", replace: "" },
  { name: "spaces", call: " ", file: " ", pair: " ", replace: " " },
  { name: "a call a line", call: "\n", file: "", pair: "", replace: "" },
  { name: "a pair a line", call: "\n", file: "\n", pair: "\n", replace: "" },
  { name: "a tag a line", call: "\n", file: "\n", pair: "\n", replace: "\n" },
  { name: "indented", call: "\n  ", file: "\n    ", pair: "\n      ", replace: "\n      ", lines: true },
  { name: "blank lines", call: "\n\n", file: "\n", pair: "\n\n", replace: "\n", lines: true },
];

const open = (name: string, attributes = ""): Piece => ({ delimiter: `<${name}>`, attributes });
const close = (name: string): Piece => ({ delimiter: `</${name}>` });

function element(name: string, call: ToolsXmlCall, layout: Layout, attributes = ""): Piece[] {
  const { body } = call;
  const raw = rightEncoding(call) === "raw" && !/^[\s>]|[\s<]$/.test(body);
  const lines = raw && (layout.lines || (name === "command" && layout.call.includes(" ")));
  const text = raw ? (lines ? `\n${body}\n` : body) : cdata(body);
  return [open(name, attributes), text, close(name)];
}

/** A file of an edit, with its pairs. */
function file(src: string, pairs: readonly (readonly [string, string])[], layout: Layout): Piece[] {
  const inEdit = (name: "find" | "replace", body: string): Piece[] =>
    element(name, { tag: "edit", src: "", find: "", body }, layout);
  return [
    layout.file,
    open("file", ` src="${src}"`),
    ...pairs.flatMap(([one, other]) => [
      layout.pair,
      ...inEdit("find", one),
      layout.replace,
      ...inEdit("replace", other),
    ]),
    layout.file,
    close("file"),
  ];
}

/** Commands, an edit of several pairs in two files, and two files to write. */
function block({ kind, text }: SlipBody, layout: Layout): LaidOut {
  const { name, call } = layout;
  const pairs = [
    ["x = 0", "x = 1"],
    ["TODO: fill in", text],
  ] as const;
  const last = ["y = 0", "y = 2"] as const;
  const inFile = (src: string, list: readonly (readonly [string, string])[]) => ({
    src,
    edits: list.map(([find, replace]) => ({ find, replace })),
  });
  const command = (body: string): ToolsXmlCall => ({ tag: "command", body });
  const write = (path: string, body: string): ToolsXmlCall => ({ tag: "write_file", path, body });
  const written = (one: ToolsXmlCall): Piece[] => [
    call,
    ...element(one.tag, one, layout, "path" in one ? ` path="${one.path}"` : ""),
  ];
  const before = [command("git status"), command(kind === "shell" ? text : "npm test")];
  const after = [write("b.txt", text), write("c.txt", "c"), command("ls")];
  return {
    name,
    pieces: [
      open("tools"),
      ...before.flatMap(written),
      call,
      open("edit"),
      ...file("a.txt", pairs, layout),
      ...file("z.txt", [last], layout),
      call,
      close("edit"),
      ...after.flatMap(written),
      "\n",
      close("tools"),
      "\n",
    ],
    meant: [
      ...before.map(value),
      { tool: "edit", files: [inFile("a.txt", pairs), inFile("z.txt", [last])] },
      ...after.map(value),
    ],
  };
}

/** Several calls and several pairs in every layout, once for a body. */
export const layoutsOfToolsXml = layoutSlips((call: ToolsXmlCall, body: SlipBody) =>
  call.tag === "edit" ? layouts.map((layout) => block(body, layout)) : [],
);
