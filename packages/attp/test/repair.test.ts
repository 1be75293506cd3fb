import { isRunnable } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { parse } from "../src/index.ts";
import { documentOf, essence } from "./fixtures.ts";

/** A slip: how it changes a right document, and what reading it has to report. `[` marks what must not stand together. */
interface Slip {
  code: string;
  affects: "none" | "structure" | "value";
  /** What it takes part in, so that two slips of one part are not tried together. */
  part: string;
  apply(text: string): string;
  /** The program that has to come out, when it is not the right document's. */
  program?: string;
}

const right = documentOf("total = add(1, 2)\n__result__ = total\n");
const program = "total = add(1, 2)\n__result__ = total\n";

const slips: Slip[] = [
  {
    code: "attp/inner-quotes",
    affects: "value",
    part: "code",
    apply: (text) =>
      text.replace("total = add(1, 2)\n", "def f():\n    '''\n    Adds.\n    '''\n    return 3\ntotal = f()\n"),
    program: "def f():\n    '''\n    Adds.\n    '''\n    return 3\ntotal = f()\n__result__ = total\n",
  },
  {
    code: "attp/raw-escapes",
    affects: "value",
    part: "code",
    apply: (text) => text.replaceAll("'''", '"""').replace("add(1, 2)", 're.sub("\\d", "\\n", x)'),
    program: 'total = re.sub("\\d", "\\n", x)\n__result__ = total\n',
  },
  {
    code: "attp/basic-string-code",
    affects: "none",
    part: "code",
    apply: (text) => text.replaceAll("'''", '"""').replace("add(1, 2)", "add(1,\\t2)"),
    program: "total = add(1,\t2)\n__result__ = total\n",
  },
  {
    code: "attp/loose-string",
    affects: "value",
    part: "thought",
    apply: (text) => text.replace('"t"', '"say "t" now"'),
  },
  {
    code: "attp/missing-header",
    affects: "structure",
    part: "header",
    apply: (text) => text.replace("[tool_call]\n", ""),
  },
  { code: "attp/odd-delimiters", affects: "structure", part: "target", apply: (text) => text.replace('"a"', "“a”") },
  {
    code: "attp/loose-syntax",
    affects: "structure",
    part: "status",
    apply: (text) => text.replace('"success"', "success"),
  },
  {
    code: "attp/table-name",
    affects: "structure",
    part: "header",
    apply: (text) => text.replace("[tool_call]", "[[ToolCall]]"),
  },
  {
    code: "attp/late-thought",
    affects: "structure",
    part: "thought header",
    apply: (text) => text.replace('thought = "t"\n[tool_call]\n', '[tool_call]\nthought = "t"\n'),
  },
  {
    code: "attp/nested-fence",
    affects: "value",
    part: "code",
    apply: (text) => text.replace("'''\n", "'''\n```python\n").replace(/'''\n$/, "```\n'''\n"),
  },
  {
    code: "attp/dedented",
    affects: "none",
    part: "code",
    apply: (text) => text.replace("total = add", "    total = add").replace("__result__", "    __result__"),
  },
  {
    code: "attp/missing-status",
    affects: "structure",
    part: "status",
    apply: (text) => text.replace('status = "success"\n', ""),
  },
  {
    code: "attp/indented",
    affects: "none",
    part: "fence",
    apply: (text) => `  \`\`\`toml\n${text.replace(/^(?=.)/gm, "  ")}  \`\`\`\n`,
  },
  { code: "attp/unclosed-fence", affects: "none", part: "fence", apply: (text) => `\`\`\`toml\n${text}` },
];

const warnings = (text: string): { code: string; affects: string }[] =>
  parse(text)
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ code, affects }) => ({ code, affects }));

describe("one slip", () => {
  it.each(slips)("$code is reported alone, and read as meant", (slip) => {
    const text = slip.apply(right);
    expect(text).not.toBe(right);
    expect(warnings(text)).toEqual([{ code: slip.code, affects: slip.affects }]);
    const [block] = parse(text).blocks;
    expect(block?.toolCall).toMatchObject({ status: "success", target: "a", code: slip.program ?? program });
    expect(block?.thought).toMatch(/t/);
    expect(block && isRunnable(block)).toBe(true);
  });

  it.each(slips.filter(({ code }) => !/basic-string|nested|dedent|indent/.test(code)))(
    "$code makes the document invalid when its repair is switched off",
    ({ code, apply }) => {
      for (const options of [{ strict: true }, { repairs: "none" as const }, { repairs: { [code]: false } }]) {
        const { blocks, diagnostics } = parse(apply(right), options);
        const late = code === "attp/late-thought";
        expect(blocks.some(isRunnable)).toBe(late);
        expect(diagnostics.some(({ severity }) => severity === "error")).toBe(!late);
        expect(diagnostics.some((found) => found.code === code)).toBe(false);
      }
    },
  );
});

const pairs = slips.flatMap((first, index) =>
  slips
    .slice(index + 1)
    .filter(({ part }) => !part.split(" ").some((word) => first.part.split(" ").includes(word)))
    .map((second) => ({ name: `${first.code} + ${second.code}`, first, second })),
);

describe("two slips", () => {
  it.each(pairs)("$name are both reported, and neither hides the other", ({ first, second }) => {
    // What wraps the whole document comes last.
    const [inner, outer] = first.part === "fence" ? [second, first] : [first, second];
    const text = outer.apply(inner.apply(right));
    const found = warnings(text);
    for (const { code } of [first, second]) expect(found.map((item) => item.code)).toContain(code);
    expect(new Set(found.map(({ code }) => code)).size).toBe(2);
    expect(parse(text).blocks[0]?.toolCall).toMatchObject({
      status: "success",
      target: "a",
      code: first.program ?? second.program ?? program,
    });
  });
});

describe("where code ends", () => {
  const read = (code: string, options = {}): string | undefined =>
    parse(documentOf(code, options)).blocks[0]?.toolCall?.code;
  it.each([
    ["doc = '''\nHello\n'''\nmessage = \"hi\"\n__result__ = message\n"],
    ["x = '''a''' + '''b'''\n"],
    ["q = '''\nstatus = \"success\"\n'''\ntotal = 1\n"],
    ["# never write '''\nx = 1\n"],
    ["x = '''\n[tool_call_log]\n'''\n__result__ = x\n"],
  ])("%j keeps its quotes, bare and fenced", (code) => {
    expect(read(code)).toBe(code);
    expect(read(code, { fence: "```" })).toBe(code);
    expect(read(code, { fence: "~~~" })).toBe(code);
  });

  it("is the last quotes of a bare document, whatever prose follows", () => {
    const code = "def f():\n    '''\n    doc\n    '''\n    return 1\n__result__ = f()\n";
    const text = `${documentOf(code)}\nI hope this helps!\n`;
    const { blocks, segments } = parse(text);
    expect(blocks[0]?.toolCall?.code).toBe(code);
    expect(segments.at(-1)).toMatchObject({ type: "text", text: "I hope this helps!\n" });
  });

  it("is never guessed when the text was cut", () => {
    const start = documentOf("def f():\n    '''\n    doc\n    '''\n    return 1\n", { close: "" });
    for (const text of [start, start.slice(0, -20), start.slice(0, -40)]) {
      expect(parse(text).blocks[0]?.status).toBe("truncated");
      expect(parse(`\`\`\`toml\n${text}`).blocks[0]?.status).toBe("truncated");
    }
  });
});

describe("dedent", () => {
  it("keeps the code as written in rawCode, and says when a string literal changed", () => {
    const plain = parse(documentOf("    a = 1\n    b = '''x'''\n"));
    expect(plain.blocks[0]?.toolCall).toMatchObject({ code: "a = 1\nb = '''x'''\n" });
    const literal = parse(documentOf('  s = """\n  x\n  """\n'));
    expect(literal.blocks[0]?.toolCall).toMatchObject({
      code: 's = """\nx\n"""\n',
      rawCode: '  s = """\n  x\n  """\n',
    });
    expect(literal.diagnostics).toMatchObject([{ code: "attp/dedented", affects: "value" }]);
  });

  it("finds template literals in JavaScript", () => {
    const { diagnostics } = parse(documentOf("  const s = `\n  x`;\n"), { language: "javascript" });
    expect(diagnostics).toMatchObject([{ code: "attp/dedented", affects: "value" }]);
  });
});

it("gives the same document for JSON", () => {
  const json = JSON.stringify({ thought: "t", tool_call: { status: "success", target: "a", code: program } }, null, 2);
  const { blocks, diagnostics } = parse(json);
  expect(essence(blocks[0] as never)).toEqual(essence(parse(right).blocks[0] as never));
  expect(diagnostics).toMatchObject([{ code: "attp/json-document", affects: "structure" }]);
});

it("flags code that ends at quotes behind an opener, right before another document", () => {
  const text = `[tool_call]\nstatus = "success"\ntarget = "x"\ncode = '''\nconfig = '''\n[tool_call]\nstatus = "fail"\n'''\n__result__ = config\n'''\n`;
  const [first] = parse(text).blocks;
  expect(first?.toolCall).toMatchObject({ code: "config = " });
  const found = parse(text).diagnostics.find(({ affects }) => affects === "value");
  expect(found).toMatchObject({ code: "attp/inner-quotes", span: { start: text.indexOf("config = '''") + 9 } });
});

describe("what may stand in a string of the code before it", () => {
  const opened = `[tool_call]\nstatus = "success"\ntarget = "x"\ncode = '''\n`;
  const isHeld = (text: string): boolean[] => {
    const { blocks, diagnostics } = parse(text);
    return blocks.map(({ span }) =>
      diagnostics.some(({ affects, span: at }) => affects === "value" && at.start >= span.start && at.end <= span.end),
    );
  };

  const ends = ["", "text = ", "    ", "x = f("];
  const keys = ['text = """\nx\n"""\n', 'text = """x"""\n', 'text = """x"""\nn = 1\n', 'message = """\nx\n"""\n'];
  const rests = ["'''\n", "print(text)\n'''\n", "\nfor x in text:\n    y(x)\n'''\n"];
  const layouts = ends.flatMap((end) => keys.flatMap((key) => rests.map((rest) => `${end}'''\n${key}${rest}`)));
  it.each(layouts)("is never left out of the code in silence: %j", (layout) => {
    expect(isHeld(`${opened}a()\n${layout}`)).toEqual([true]);
  });

  it.each(["\n", "An answer in ATTP:\n\n", "1. First\n2. Then\n"])(
    "never runs as documents of its own: %j between",
    (between) => {
      const inner = `${between}thought = "t"\n\n${opened.replace("'''\n", '"one()"\n')}\n`;
      const text = `${opened}content = r"""\n    '''Says what it does.'''\n${inner}${inner}"""\nwrite(content)\n'''\n`;
      expect(isHeld(text).length).toBeGreaterThan(1);
      expect(isHeld(text)).not.toContain(false);
    },
  );

  it("does not make keys that nobody knows doubtful behind code that ends", () => {
    const { diagnostics } = parse(`${opened}a()\n'''\nnote = "x"\n`);
    expect(diagnostics.filter(({ affects }) => affects === "value")).toEqual([]);
  });
});

it("takes off the outer one of two fences", () => {
  const inner = 'content = r"""\n```sh\nnpm install\n```\n"""\n__result__ = content\n';
  const { blocks, diagnostics } = parse(documentOf(`\`\`\`python\n${inner}\`\`\`\n`));
  expect(blocks[0]?.toolCall).toMatchObject({ code: inner });
  expect(diagnostics).toMatchObject([{ code: "attp/nested-fence", affects: "value" }]);
});

const call = '[tool_call]\nstatus = "success"\ntarget = "x"\n';
const flagsValue = (text: string, from = 0): boolean =>
  parse(text).diagnostics.some(({ affects, span }) => affects === "value" && span.end > from);

it("flags code on one line with text directly below it", () => {
  expect(flagsValue(`${call}code = '_'\ncontent = r"""\n<svg/>\n"""\n'''\n`)).toBe(true);
  expect(flagsValue(`${call}code = '_'\n\nThat is all.\n`)).toBe(false);
});

it("flags a document that may be part of the code before it", () => {
  const text = `${call}code = '''\nx = r'''\ndoc\n'''\nSays it.\n'''\n\n${call}code = "rm()"\n`;
  const { blocks } = parse(text);
  expect(blocks).toHaveLength(2);
  for (const { span } of blocks) expect(flagsValue(text, span.start)).toBe(true);
});
