import { isRunnable } from "@toolglot/core";
import { expect, it } from "vitest";
import { parse, serialize } from "../src/index.ts";

// Both sides of what belongs together: what is forgiven on one side is carried through on the other.

const document = (code: string): string => `[tool_call]\nstatus = "success"\ntarget = "g"\ncode = '''\n${code}\n'''\n`;

it("code that is repaired when it is read / the same code, written so that nothing is repaired", () => {
  for (const code of [
    "    x = 1\n    y = 2\n",
    "```python\nx\n```\n",
    "\u200bx\n",
    "`x`",
    "x = 1\n</parameter>\n</invoke>",
    "x = 1<|im_end|>",
    "f = [1]\n</function>\n",
    " x",
    'x = """\n',
    "x = (",
    "[tool_call]\n",
  ]) {
    const written = serialize({ thought: "t", toolCall: { status: "success", target: "g", code } });
    const { blocks, diagnostics } = parse(written);
    expect([blocks[0]?.toolCall?.code, blocks[0]?.status, diagnostics]).toEqual([code, "complete", []]);
  }
});

it("a document that was given up / the document that replaces it", () => {
  const next = `\`\`\`toml\nthought = "t"\n${document("ls")}\`\`\`\n`;
  for (const cut of ["code = '''\nrm(", "code = '''", "target = \"g", "code ="])
    for (const fence of ["```toml\n", ""]) {
      const draft = `${fence}thought = "d"\n[tool_call]\nstatus = "success"\n${cut}`;
      const { blocks, diagnostics } = parse(`${draft}\n\nSorry, that was wrong. Instead:\n\n${next}`);
      const runnable = blocks.filter(isRunnable);
      const held = diagnostics.filter(({ affects }) => affects === "value");
      const isSafe = runnable.every(({ toolCall, span }) => toolCall?.code === "ls\n" || held.some((one) => one.span.start < span.end && one.span.end > span.start));
      expect(isSafe, draft).toBe(true);
      // The rest of the text is never lost without a word.
      expect(blocks.some(({ toolCall }) => toolCall?.code === "ls\n") || held.length > 0 || diagnostics.some(({ severity }) => severity === "error"), draft).toBe(true);
    }
}); // biome-ignore format: long lines

it("a document in an indented fence / the same document indented without a fence", () => {
  const text = `thought = 't'\n${document("if a:\n    b = 1")}`;
  const fenced = `\`\`\`toml\n${text}\`\`\`\n`.replace(/^(?=.)/gm, "  ");
  for (const written of [fenced, text.replace(/^(?=.)/gm, "  ")])
    expect(parse(written).blocks[0]?.toolCall?.code).toBe("if a:\n    b = 1\n");
});

it("a code that ends with closers of another format is kept with a doubt, one that opens them is not", () => {
  const codes = (code: string): string[] =>
    parse(document(code)).diagnostics.flatMap(({ code, affects }) => (affects === "value" ? [code] : []));
  for (const tail of ["</parameter>\n</invoke>", "</arg_value></tool_call>", "<|eot_id|>", "[/TOOL_CALL]"])
    expect(codes(`x = 1\n${tail}`)).toEqual(["attp/foreign-closer"]);
  for (const tail of ["<invoke></invoke>", "y = a</invoke>b", "# [/x]"]) expect(codes(`x = 1\n${tail}`)).toEqual([]);
});
