import { type Message, type PromptBuilder, type ToolDefinition, textMessage } from "@toolglot/core";
import { renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";
import { explain } from "../src/explain.ts";
import { parse } from "../src/parse.ts";
import { attpProtocol } from "../src/protocol.ts";
import { linesInTemplates } from "../src/repair/javascript-templates.ts";
import type { AttpDocument } from "../src/types.ts";

const prompt: PromptBuilder = {
  forProtocol: "attp-js/1",
  build: ({ toolsText, locale, mode }) => `${locale}/${mode}\n${toolsText}`,
};
const protocol = attpProtocol({ prompt, language: "javascript" });
const search: ToolDefinition = {
  name: "search.web",
  description: "Searches.",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};
const answer = (code: string): string =>
  `thought = "t"\n[tool_call]\nstatus = "success"\ntarget = "g"\ncode = '''\n${code}\n'''\n`;
const read = (code: string): AttpDocument => parse(answer(code), { language: "javascript" }).blocks[0] as AttpDocument;

it("should say that it is another protocol than that of Python programs", () => {
  expect(protocol).toMatchObject({ id: "attp-js", version: "attp-js/1", stop: [] });
  const python = { ...prompt, forProtocol: "attp/1" };
  expect(() => attpProtocol({ prompt: python, language: "javascript" })).toThrow(
    'attpProtocol: the prompt teaches "attp/1", not "attp-js/1": pass attpJavascriptPrompt from @toolglot/prompts/attp.',
  );
  expect(() => attpProtocol({ prompt })).toThrow(/not "attp\/1": pass attpPrompt from/);
});

it("should render declarations, in the language asked for", () => {
  expect(protocol.renderTools([search])).toBe(renderTypeScriptDeclarations([search], { locale: "en" }));
  expect(protocol.instructions([search], { locale: "zh", mode: "loop" })).toBe(
    `zh/loop\n${renderTypeScriptDeclarations([search], { locale: "zh" })}`,
  );
});

it("should make a code action in JavaScript, of fenced code too", () => {
  const parser = protocol.createParser({});
  parser.feed(answer("```js\n__result__ = await search_web({ query: `a` });\n```"));
  const [block] = parser.end().blocks;
  expect(block && protocol.actions(block)).toMatchObject([
    { kind: "code", language: "javascript", source: "__result__ = await search_web({ query: `a` });\n", target: "g" },
  ]);
});

it.each(["javascript", "JavaScript", "js", "typescript", "ts", ""])("should unwrap a fence of %j", (info) => {
  expect(read(`\`\`\`${info}\nreturn 1;\n\`\`\``)).toMatchObject({ toolCall: { code: "return 1;\n" } });
});

it("should take off a fence of another language, and leave a program that is one template", () => {
  expect(read("```python\nx\n```").toolCall?.code).toBe("x\n");
  expect(read("`a`.trim()").toolCall?.code).toBe("`a`.trim()\n");
});

it.each<[what: string, code: string, lines: number[]]>([
  ["text of a template", "const a = `one\n  two\n`;\nb", [1, 2]],
  ["code in a template", `\`a \${\n  f(\`x\n y\`, { k: 1 })\n} b\n c\``, [2, 4]],
  ["an escaped backtick and dollar", "`a \\` \\${\n b`\nc", [1]],
  ["a string that goes on", "'a\\\n b';\n'c", [1]],
  ["a string that is not closed", "'a\n  `b\n c`", [2]],
  ["quotes in comments", "// it's `\nx /* ` \n ' */\ny", []],
  ["a quote in a regular expression", "s.replace(/[`/]/g, '')\n x;\n/`/.test(s)\ny", []],
  ["a regular expression after return", "return /`/\n x", []],
  ["a division", "a / b / `c\n d`", [1]],
  ["a division after a bracket and one after a template", "(a) / 2; `x` / 1 / `\n`", [1]],
  ["a slash that is nothing", "= /[ `a\n b`", [1]],
])("should know of %s which lines begin inside of literals", (_, code, lines) => {
  expect([...linesInTemplates(code)]).toEqual(lines);
});

it("should tell lines in templates in a time that grows with the text", () => {
  const started = performance.now();
  for (const text of ["=/[", "=/", "`${", "'\\", "/*", "`${`", "{}/"]) linesInTemplates(text.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(10_000);
});

it("should call a dedent harmless unless a template lost blanks", () => {
  const affects = (code: string): unknown =>
    parse(answer(code), { language: "javascript" }).diagnostics.map((found) => [found.code, found.affects]);
  expect(affects("  const a = 'x';\n  return a.match(/`/);")).toEqual([["attp/dedented", "none"]]);
  expect(affects("  const a = `x\n  y`;\n  return a;")).toEqual([["attp/dedented", "value"]]);
  expect(affects(`  const a = \`x \${\n  y}\`;\n  return a;`)).toEqual([["attp/dedented", "none"]]);
});

it("should keep any program as it was written", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom("`", "${", "}", "'", '"', "/", "//", "\\", "\n", "  ", "x", "#", "=>", "{", "/*", "*/", "''"),
        { maxLength: 30 },
      ),
      (parts) => {
        const code = `return 1;${parts.join("")}`;
        fc.pre(!code.includes("'''") && !code.endsWith("'"));
        expect(read(code).toolCall?.code).toBe(`${code}\n`);
      },
    ),
  );
});

it("should advise in words that fit JavaScript", () => {
  const text = answer("const quotes = \"'''\";\nreturn quotes;");
  const options = { language: "javascript", source: text } as const;
  const result = parse(text, { language: "javascript" });
  expect(result.diagnostics).toMatchObject([{ code: "attp/inner-quotes", hint: expect.stringContaining("repeat(3)") }]);
  expect(result.blocks[0]?.toolCall?.code).toBe("const quotes = \"'''\";\nreturn quotes;\n");
  for (const locale of ["en", "zh"] as const) {
    const told = explain(result, { ...options, locale }) ?? "";
    expect(told).toContain("repeat(3)");
    expect(told).not.toMatch(/python|文档字符串|triple/i);
  }
  expect(explain(parse(text), { source: text, locale: "zh" })).toContain("文档字符串");
});

it("should write calls as a JavaScript program, for a provider that knows no calls", () => {
  const call = (id: string, input: unknown): Message["parts"][number] => ({
    type: "call",
    call: { id, name: "search.web", input, protocol: "native" },
  });
  const code = (...parts: Message["parts"]): string => {
    const encoded = protocol.encodeMessages([
      textMessage("user", "x"),
      { role: "assistant", trust: "untrusted", parts },
    ])[1]?.parts[0];
    const { tool_call } = parseToml(encoded?.type === "text" ? encoded.text : "") as { tool_call: { code: string } };
    return tool_call.code;
  };
  expect(code(call("1", { query: "it's `a`", "max-n": 2 }))).toBe(
    '__result__ = await search_web({ query: "it\'s `a`", max_n: 2 });\n',
  );
  expect(code(call("1", { query: "a" }), call("2", {}))).toBe(`const [result1, result2] = await Promise.all([
  search_web({ query: "a" }),
  search_web(),
]);
__result__ = { result1, result2 };
`);
});
