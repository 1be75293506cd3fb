import { isRunnable } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { explain, parse } from "../src/index.ts";
import { readChunks } from "./fixtures.ts";

const doc = (code: string, closer = "'''"): string =>
  `thought = "t"\n\n[tool_call]\nstatus = "success"\ntarget = "g"\ncode = '''\n${code}${closer}\n`;
const fenced = (text: string): string => `\`\`\`toml\n${text}\`\`\`\n`;
const codes = (text: string): (string | undefined)[] => parse(text).blocks.map(({ toolCall }) => toolCall?.code);
const found = (text: string): string[] =>
  parse(text)
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ code, affects }) => `${code} ${affects}`);

describe("code that holds a line which opens a document", () => {
  it("should be two documents where the closer is short, though TOML reads one", () => {
    const text = `${doc("x = 1\n", "''")}\n${doc('text = """a"""\n')}\n`;
    expect(codes(text)).toEqual(["x = 1\n", 'text = """a"""\n']);
    expect(found(text)).toEqual(["attp/inner-quotes value", "attp/inner-quotes value"]);
  });

  it.each(["''\n", "'\n", '""\n', '"""\n', "'''',\n", "\n", "```\n", "‘‘‘\n"])(
    "should never be clean after %j, in any layout",
    (closer) => {
      for (const second of ["x = 1\n", 'text = """a"""\n', "f('x')\n"])
        for (const text of [
          `${doc("y = 2\n", closer)}\n${doc(second)}`,
          `${doc("y = 2\n", closer)}${doc(second)}`,
          `${fenced(doc("y = 2\n", closer))}\n${fenced(doc(second))}`,
          `${fenced(doc("y = 2\n", closer))}\nThen this:\n\n${fenced(doc(second))}`,
          fenced(`${doc("y = 2\n", closer)}\n${doc(second)}`),
          `${doc("y = 2\n", closer).replace('thought = "t"', 'thought = """\nt\n"""')}\n${doc(second)}`,
        ])
          expect(
            found(text).some((code) => / value$/.test(code)),
            text,
          ).toBe(true);
    },
  );

  it("should be warned about where it is not cut", () => {
    const text = doc('x = 1\nthought = "later"\n__result__ = x\n');
    expect(codes(text)).toEqual(['x = 1\nthought = "later"\n__result__ = x\n']);
    expect(found(text)).toEqual(["attp/inner-quotes value"]);
    expect(parse(doc("x = 1\n[tool_call]\n"), { strict: true }).diagnostics.map(({ code }) => code)).toContain(
      "attp/inner-quotes",
    );
  });

  it("should stay clean where the line stands in a string or a comment of the code", () => {
    for (const code of [
      'sample = """\nthought = "x"\n\n[tool_call]\nstatus = "success"\n"""\nf(sample)\n',
      '# thought = "x"\n# [tool_call]\nx = 1\n',
      "status = \"success\"\nmessage = 'done'\n__result__ = status\n",
      "code = 200\nthought = len('x')\n",
      'print("[tool_call]")\n',
    ]) {
      expect(codes(doc(code))).toEqual([code]);
      expect(found(doc(code)), code).toEqual([]);
    }
    const script = "const s = `\n[tool_call]\n`;\n/*\n[tool_call]\n*/\nf(s);\n";
    expect(parse(doc(script), { language: "javascript" }).diagnostics).toEqual([]);
  });

  it("should leave out a quote too many", () => {
    for (const text of [
      doc("x = 1\n", "''''"),
      doc("x = 1\n").replace("'''\nx", "''''\nx"),
      fenced(doc("x = 1\n", "'''''")),
    ]) {
      expect(codes(text)).toEqual(["x = 1\n"]);
      expect(found(text)).toEqual(["attp/inner-quotes value"]);
    }
  });
});

describe("text behind the closing quotes in a fence", () => {
  it.each([",\n", "---\n", "</code>\n", "]\n"])("should be stray: %j", (stray) => {
    const text = fenced(`${doc("x = 1\n")}${stray}`);
    expect(codes(text)).toEqual(["x = 1\n"]);
    expect(new Set(found(text))).toEqual(new Set(["attp/stray-text structure"]));
    expect(parse(text).blocks.every(isRunnable)).toBe(true);
  });

  it.each(["\nThis will do it.\n", "print(2)\n", "输出：\n", "---\nThen:\nrm -rf a\n", "#!/bin/sh\nrm -rf a\n"])(
    "should show that the document is not sent: %j",
    (more) => {
      const text = `Do this:\n\n${fenced(`${doc("x = 1\n")}${more}`)}\nBye.\n`;
      expect(codes(text)).toEqual(["x = 1\n"]);
      expect(found(text).filter((code) => !code.startsWith("attp/stray"))).toEqual(["core/shown-block none"]);
      expect(parse(text).blocks.map(({ shown }) => shown)).toEqual([true]);
      expect(parse(text).segments.at(-1)).toMatchObject({
        type: "text",
        text: expect.stringMatching(/```\n\nBye\.\n$/),
      });
      for (const size of [1, 7]) expect(readChunks(cut(text, [size])).result).toEqual(parse(text));
      expect(parse(text, { shown: "run" }).blocks.map(isRunnable)).toEqual([true]);
    },
  );

  it("should be stray on the line of the quotes too", () => {
    for (const rest of [",", ";", " That is all.", "</code>"]) {
      const text = fenced(doc("x = 1\n", `'''${rest}`));
      expect(codes(text)).toEqual(["x = 1\n"]);
      expect(found(text)).toEqual(["attp/stray-text structure"]);
    }
  });

  it("should not end the code before quotes that end it better", () => {
    const code = "'''\nDocs:\n```\nexample\n```\n'''\nx = 1\n";
    expect(codes(fenced(doc(code)))).toEqual([code]);
  });

  it("should be cut off where the message was", () => {
    const { blocks } = parse(`\`\`\`toml\n${doc("x = 1\n", "")}`);
    expect(blocks.map(({ status }) => status)).toEqual(["truncated"]);
  });
});

describe("a fence around the whole code", () => {
  it.each(["bash", 'py title="x"', "python {.line}", "c++", "text", ""])("should be taken off: %s", (info) => {
    const text = doc(`\`\`\`${info}\nx = 1\n\`\`\`\n`);
    expect(codes(text)).toEqual(["x = 1\n"]);
    expect(found(text)).toEqual(["attp/nested-fence value"]);
  });

  it("should be taken off when it is not closed", () => {
    expect(codes(doc("```python\nx = 1\n"))).toEqual(["x = 1\n"]);
  });
});

describe("what is no document", () => {
  it("should be a fence that opens with a result, whatever keys follow", () => {
    for (const result of [
      "[tool_result]\nstatus = \"success\"\nresult = '1'\n",
      "# result\n\n[[tool_result]]\nstatus = \"success\"\ncode = '''\nx\n'''\n",
      `[tool_result]\nstatus = "error"\n\n${doc("x = 1\n")}`,
    ]) {
      const text = `${fenced(doc("a = 1\n"))}\n${fenced(result)}\n${fenced(doc("b = 2\n"))}`;
      expect(codes(text)).toEqual(["a = 1\n", "b = 2\n"]);
      expect(parse(text).blocks.map(({ afterFabricatedResult }) => afterFabricatedResult)).toEqual([undefined, true]);
    }
  });

  it("should be told when it is whole, and wrapped otherwise than the first", () => {
    const text = `${fenced(doc("a = 1\n"))}\n${doc("b = 2\n")}`;
    const result = parse(text);
    expect(codes(text)).toEqual(["a = 1\n"]);
    expect(found(text)).toEqual(["attp/unread-document none"]);
    expect(explain(result, { source: text })).toContain("send one document per answer");
    expect(explain(result, { source: text, locale: "zh" })).toContain("每次回答只发送一个文档");
    const [unread] = result.diagnostics.filter(({ code }) => code === "attp/unread-document");
    expect(text.slice(unread?.span.start, unread?.span.end)).toBe(doc("b = 2\n").trimEnd());
  });
});
