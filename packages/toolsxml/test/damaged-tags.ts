/** A piece of a block: a tag that can be damaged, or text that stays. */
type Piece = { tag: string; closes: boolean; attributes?: string } | string;

/** A block as its pieces, and the calls that it means. */
export interface Sample {
  name: string;
  pieces: Piece[];
  meant: object[];
}

/** What stands between pieces. */
interface Layout {
  name: string;
  /** Before the tag of a call, of `<file>`, of a pair, of `<replace>`. */
  call: string;
  file: string;
  pair: string;
  replace: string;
  /** Around a body. */
  bodyStart: string;
  bodyEnd: string;
}

const layouts: Layout[] = [
  { name: "tight", call: "", file: "", pair: "", replace: "", bodyStart: "", bodyEnd: "" },
  { name: "pairs on a line", call: "\n", file: "\n", pair: "\n", replace: "", bodyStart: "", bodyEnd: "" },
  { name: "spaces", call: " ", file: " ", pair: " ", replace: " ", bodyStart: "", bodyEnd: "" },
  { name: "a tag a line", call: "\n", file: "\n", pair: "\n", replace: "\n", bodyStart: "", bodyEnd: "" },
  { name: "indented", call: "\n  ", file: "\n    ", pair: "\n      ", replace: "\n      ", bodyStart: "", bodyEnd: "" },
  { name: "bodies on lines", call: "\n", file: "\n", pair: "\n", replace: "\n", bodyStart: "\n", bodyEnd: "\n" },
  { name: "blank lines", call: "\n\n", file: "\n\n", pair: "\n\n", replace: "\n", bodyStart: "\n", bodyEnd: "\n" },
];

type Pair = readonly [string, string];

/** Writes blocks in one layout. */
class Writer {
  readonly pieces: Piece[] = [];
  readonly meant: object[] = [];
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  open(tag: string, attributes = ""): this {
    this.pieces.push({ tag, closes: false, attributes });
    return this;
  }

  close(tag: string): this {
    this.pieces.push({ tag, closes: true });
    return this;
  }

  text(text: string): this {
    this.pieces.push(text);
    return this;
  }

  body(tag: string, body: string, attributes = ""): this {
    const { bodyStart, bodyEnd } = this.#layout;
    return this.open(tag, attributes)
      .text(bodyStart + body + bodyEnd)
      .close(tag);
  }

  block(write: (to: this) => void): this {
    this.open("tools");
    write(this);
    return this.text(this.#layout.call === "" ? "" : "\n").close("tools");
  }

  command(script: string): this {
    this.meant.push({ tool: "command", script });
    return this.text(this.#layout.call).body("command", script);
  }

  input(data: string): this {
    this.meant.push({ tool: "input", data });
    return this.text(this.#layout.call).open("input").text(data).close("input");
  }

  mcp(args: object): this {
    this.meant.push({ tool: "mcp", server: "s", name: "t", arguments: args });
    return this.text(this.#layout.call).body("mcp", JSON.stringify(args), ' server="s" tool="t"');
  }

  write(path: string, text: string): this {
    this.meant.push({ tool: "custom", name: "write_file", input: { path, text } });
    return this.text(this.#layout.call).body("write_file", text, ` path="${path}"`);
  }

  search(query: string, sites: readonly string[]): this {
    this.meant.push({ tool: "custom", name: "search", input: { query, sites } });
    this.text(this.#layout.call).open("search").text(this.#layout.file).open("query").text(query).close("query");
    for (const site of sites) this.text(this.#layout.pair).open("sites").text(site).close("sites");
    return this.text(this.#layout.call).close("search");
  }

  read(files: readonly string[]): this {
    this.meant.push({ tool: "read", files: files.map((src) => ({ src })), searches: [] });
    this.text(this.#layout.call).open("read");
    for (const src of files) this.text(`${this.#layout.file}<file src="${src}"/>`);
    return this.text(this.#layout.call).close("read");
  }

  edit(files: Readonly<Record<string, readonly Pair[]>>): this {
    const { call, file, pair, replace } = this.#layout;
    this.meant.push({
      tool: "edit",
      files: Object.entries(files).map(([src, pairs]) => ({
        src,
        edits: pairs.map(([find, replace]) => ({ find, replace })),
      })),
    });
    this.text(call).open("edit");
    for (const [src, pairs] of Object.entries(files)) {
      this.text(file).open("file", ` src="${src}"`);
      for (const [one, other] of pairs) this.text(pair).body("find", one).text(replace).body("replace", other);
      this.text(file).close("file");
    }
    return this.text(call).close("edit");
  }
}

const pairs: Pair[] = [
  ["x = 0", "x = 1"],
  ["y = 0", "y = 2"],
  ["z = 0", "z = 3"],
];
const code: Pair[] = [
  ["if (a < b) {", "if (a <= b && `c`) {"],
  ["const all = new Map<string, File>();", 'const text = "it\'s";'],
];

const blocks: Record<string, (to: Writer) => void> = {
  "pairs in a file": (to) => to.block((in_) => in_.edit({ "a.txt": pairs })),
  "two files": (to) => to.block((in_) => in_.edit({ "a.txt": pairs.slice(0, 2), "b.ts": code })),
  "two edits": (to) => to.block((in_) => in_.edit({ "a.txt": pairs.slice(0, 1) }).edit({ "b.ts": code })),
  commands: (to) => to.block((in_) => in_.command("npm test").command("make clean").command("ls -l")),
  "harder commands": (to) =>
    to.block((in_) =>
      in_
        .command("git commit -m \"it's done\" # don't push")
        .command("cat > a.txt <<'END'\none's\nEND\nls")
        .command("echo 'a b' && echo \"$(ls | grep 'x')\""),
    ),
  "writes of files": (to) =>
    to.block((in_) => in_.write("a.txt", "one").write("b.html", '<input name="a">\n<p>two').write("c.txt", "`three`")),
  "all kinds": (to) =>
    to.block((in_) =>
      in_
        .command("npm test")
        .edit({ "a.txt": pairs.slice(0, 2) })
        .command("git diff")
        .input("y")
        .write("n.txt", "note")
        .read(["a", "b"])
        .command("ls"),
    ),
  "JSON bodies": (to) => to.block((in_) => in_.mcp({ a: "1" }).mcp({ b: "2" }).command("ls")),
  "child elements": (to) => to.block((in_) => in_.search("one", ["a", "b"]).search("two", ["c", "d"])),
  "two blocks": (to) => {
    to.block((in_) => in_.command("npm test").command("ls")).text("\n\nThen:\n\n");
    to.block((in_) => in_.command("make clean"));
  },
};

/** Every block in every layout. */
export const samples: Sample[] = Object.entries(blocks).flatMap(([what, write]) =>
  layouts.map((layout) => {
    const to = new Writer(layout);
    write(to);
    return { name: `${what}, ${layout.name}`, pieces: to.pieces, meant: to.meant };
  }),
);

const without = (name: string, at: number): string => name.slice(0, at) + name.slice(at + 1);
const swapped = (name: string): string => (name[0] as string) + name[2] + name[1] + name.slice(3);

/** What can be wrong with a tag. */
const damages: Record<string, (tag: { tag: string; closes: boolean; attributes?: string }) => string> = {
  lost: () => "",
  "cut in its name": ({ tag, closes }) => `<${closes ? "/" : ""}${tag.slice(0, -2)}`,
  "cut short": ({ closes }) => (closes ? "</" : "<"),
  "a letter missing": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${without(tag, 2)}${attributes}>`,
  "letters swapped": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${swapped(tag)}${attributes}>`,
  "a letter too many": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}s${attributes}>`,
  "another name": ({ closes, attributes = "" }) => `<${closes ? "/" : ""}text${attributes}>`,
  "a sibling's name": ({ tag, closes, attributes = "" }) =>
    `<${closes ? "/" : ""}${tag === "find" ? "replace" : tag === "command" ? "input" : tag === "replace" ? "find" : "command"}${attributes}>`,
  "the parent's name": ({ tag, closes, attributes = "" }) =>
    `<${closes ? "/" : ""}${tag === "find" || tag === "replace" ? "file" : tag === "file" ? "edit" : "tools"}${attributes}>`,
  "no bracket before": ({ tag, closes, attributes = "" }) => `${closes ? "/" : ""}${tag}${attributes}>`,
  "no bracket, no slash": ({ tag, attributes = "" }) => `${tag}${attributes}>`,
  "no bracket behind": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes}`,
  "no brackets": ({ tag, closes, attributes = "" }) => `${closes ? "/" : ""}${tag}${attributes}`,
  "bracket twice": ({ tag, closes, attributes = "" }) => `<<${closes ? "/" : ""}${tag}${attributes}>`,
  "last bracket twice": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes}>>`,
  "full-width brackets": ({ tag, closes, attributes = "" }) => `＜${closes ? "/" : ""}${tag}${attributes}＞`,
  "one full-width bracket": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes}＞`,
  "square brackets": ({ tag, closes, attributes = "" }) => `[${closes ? "/" : ""}${tag}${attributes}]`,
  "an entity": ({ tag, closes, attributes = "" }) => `&lt;${closes ? "/" : ""}${tag}${attributes}&gt;`,
  "slash or none": ({ tag, closes, attributes = "" }) => `<${closes ? "" : "/"}${tag}${attributes}>`,
  "self-closing": ({ tag, attributes = "" }) => `<${tag}${attributes}/>`,
  backslash: ({ tag, closes, attributes = "" }) => `<${closes ? "\\" : ""}${tag}${attributes}>`,
  twice: ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes}>`.repeat(2),
  "misspelt, then right": ({ tag, closes, attributes = "" }) =>
    `<${closes ? "/" : ""}${without(tag, 2)}${attributes}><${closes ? "/" : ""}${tag}${attributes}>`,
  "square, then right": ({ tag, closes, attributes = "" }) =>
    `[${closes ? "/" : ""}${tag}]<${closes ? "/" : ""}${tag}${attributes}>`,
  "slash behind the name": ({ tag, closes, attributes = "" }) => (closes ? `<${tag}/>` : `<${tag}${attributes}/>`),
  "space in it": ({ tag, closes, attributes = "" }) => `< ${closes ? "/ " : ""}${tag}${attributes} >`,
  "line break in it": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes}\n>`,
  capitals: ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag.toUpperCase()}${attributes}>`,
  "a quote lost": ({ tag, closes, attributes = "" }) => `<${closes ? "/" : ""}${tag}${attributes.replace(/"$/, "")}>`,
  "the first quote lost": ({ tag, closes, attributes = "" }) =>
    `<${closes ? "/" : ""}${tag}${attributes.replace('"', "")}>`,
};

const write = (piece: Piece): string =>
  typeof piece === "string" ? piece : `<${piece.closes ? "/" : ""}${piece.tag}${piece.attributes ?? ""}>`;

/** Every text that one damaged tag makes of a block. */
export function* damaged({ pieces }: Sample): Generator<{ what: string; text: string }> {
  const whole = pieces.map(write);
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === "string") continue;
    for (const [what, damage] of Object.entries(damages)) {
      const text = damage(piece);
      if (text === whole[index]) continue;
      yield {
        what: `${piece.closes ? "/" : ""}${piece.tag} ${index}: ${what}`,
        text: whole.slice(0, index).join("") + text + whole.slice(index + 1).join(""),
      };
    }
  }
}

/** The block as it should be. */
export const writeSample = ({ pieces }: Sample): string => pieces.map(write).join("");
