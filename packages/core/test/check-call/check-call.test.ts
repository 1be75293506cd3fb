import fc from "fast-check";
import { expect, it } from "vitest";
import { CallGuard, checkCall, explainFindings } from "../../src/check-call-layer.ts";

const inputSchema = {
  type: "object" as const,
  properties: {
    path: { type: "string" as const },
    content: { type: "string" as const },
    edits: {
      type: "array" as const,
      items: { type: "object" as const, properties: { old: {}, new: {} } },
    },
  },
  required: ["path", "content"],
};
const tool = { name: "write_file", description: "Writes a file.", inputSchema };
const found = (input: unknown, name = "write_file"): string[] =>
  checkCall({ name, input }, tool).map(({ code, path, at }) => `${code.slice(5)} ${path} ${at ?? ""}`.trim());

it("reports arguments that came twice, as text or behind an argument", () => {
  expect(found('{"content":"a"}{"content":"a"}')).toEqual(["doubled-input  15"]);
  expect(found(' {"content":"a"}\n\n{"content": "a"} ')).toEqual(["doubled-input  16"]);
  expect(found('{"content":"a"}{"content":"b"}')).toEqual([]);
  expect(found('{}{"content":"b"}')).toEqual([]);
  const content = 'a file {"with":"JSON"}';
  const whole = JSON.stringify({ path: "p", content });
  expect(found({ path: "p", content: content + whole })).toEqual(["doubled-input /content 22"]);
  expect(found({ path: "p", content: `${content}\n${JSON.stringify({ path: "q", content })}` })).toEqual([]);
});

it("reports JSON that ends early, and reads the rest of what it can", () => {
  for (const text of ["{", '{"content":"a', '{"content":["a"', '{"content":"a\\"}', '["', '"a'])
    expect(found(text), text).toEqual([`cut-input  ${text.length}`]);
  for (const text of ["", "  ", "null", "{}", "no JSON", "}", '{"a":1} and more'])
    expect(found(text), text).toEqual([]);
  expect(found('{"content":"x</parameter>"}')).toEqual(["leaked-closer /content 1"]);
});

it("reports names that are none", () => {
  for (const name of [
    "",
    " ",
    "write_file<|channel|>",
    "write_file</tool_call>",
    "write_file[ARGS]",
    "<｜tool▁sep｜>f",
  ])
    expect(found({}, name), name).toEqual(["nameless-call"]);
  for (const name of ["write_file", "functions.x:0", "mcp__a-b.c/d", "a tool", "工具"])
    expect(found({}, name), name).toEqual([]);
  expect(checkCall({ name: "a<b>", input: {} }, { ...tool, name: "a<b>" })).toEqual([]);
});

it("looks into lists and objects, with the names and the schema of the place", () => {
  expect(found({ edits: [{ new: "b" }, { old: "x</old>\n<new>y" }] })).toEqual(["swallowed-argument /edits/1/old 1"]);
  expect(found({ edits: [{ old: "x</old>", new: "y</NEW>" }] })).toEqual([
    "leaked-closer /edits/0/old 1",
    "leaked-closer /edits/0/new 1",
  ]);
  expect(found({ edits: [{ old: "x</edits>" }] })).toEqual(["leaked-closer /edits/0/old 1"]);
  expect(found({ "a/b": { "~": "x</invoke>" } })).toEqual(["leaked-closer /a~1b/~0 1"]);
});

it("knows the elements of the tool and of its own argument, in any case, and marks that it is given", () => {
  expect(found({ content: "x</content></write_file>" })).toEqual(["leaked-closer /content 1"]);
  expect(found({ content: "x</Content>" })).toEqual(["leaked-closer /content 1"]);
  expect(found({ content: "x</path>" })).toEqual([]);
  expect(found({ content: "x%%END" })).toEqual([]);
  const [marked] = checkCall({ name: "f", input: { a: "x%%END\n" } }, undefined, { marks: ["%%END"] });
  expect(marked).toMatchObject({ code: "core/leaked-closer", at: 1 });
});

it("says what it found, and gives the model words in English and Chinese", () => {
  const call = { name: "write_file", input: { content: 'hi</parameter>\n<parameter name="path">a.txt' } };
  const [finding] = checkCall(call, tool);
  expect(finding).toMatchObject({ affects: "value", swallowed: [{ name: "path", value: "a.txt" }] });
  expect(finding?.hint).toContain("Write the call again");
  const english = explainFindings(call, [finding as never], { tool });
  for (const part of ['"write_file"', '"content"', "</parameter>", 'lacks "path"', "again"])
    expect(english).toContain(part);
  const chinese = explainFindings(call, [finding as never], { tool, locale: "zh" });
  for (const part of ['"write_file"', '"content"', "</parameter>", '缺少 "path"', "没有执行"])
    expect(chinese).toContain(part);
});

it("a guard refuses what would change something, and lets through what is sent the same way twice", () => {
  let now = 1_000;
  const guard = new CallGuard({ now: () => now });
  const leaking = (id?: string) => ({
    ...(id !== undefined && { id }),
    name: "write_file",
    input: { path: "p", content: "x</parameter>" },
  });
  expect(guard.check({ name: "write_file", input: { path: "p", content: "x" } }, tool)).toBeUndefined();
  expect(guard.check(leaking(), tool)?.refusal).toContain("was not run");
  const second = leaking();
  expect(guard.check(second, tool)).toMatchObject({ findings: [{ code: "core/leaked-closer" }] });
  expect(guard.check(leaking(), tool)?.refusal, "that was one time").toBeDefined();
  now += 10 * 60_000;
  expect(guard.check(leaking(), tool)?.refusal, "ten minutes later").toBeDefined();
  expect(new CallGuard().check(second, tool), "what one guard let through, the next one does").toBeUndefined();
  // The same call looked at twice, or looked at only, is not sent twice.
  const ids = new CallGuard({ locale: "zh" });
  for (const id of ["", "", "1", "1"]) expect(ids.check(leaking(id), tool)?.refusal).toContain("没有执行");
  expect(ids.check(leaking("2"), tool)?.refusal).toBeUndefined();
  expect(new CallGuard({ mode: "report" }).check(leaking(), tool)).toEqual({ findings: checkCall(leaking(), tool) });
  const swallowed = { name: "write_file", input: { content: "x</parameter><parameter=path>p" } };
  for (let times = 0; times < 3; times++) expect(guard.check(swallowed, tool)?.refusal).toContain("path");
  const reads = { ...tool, annotations: { readOnlyHint: true } };
  expect(guard.check(swallowed, reads)).toEqual({ findings: checkCall(swallowed, tool) });
  expect(() => new CallGuard({ mark: [] } as never)).toThrow(TypeError);
});

it("takes anything, and throws nothing", () => {
  const circle: Record<string, unknown> = { a: "x" };
  circle.self = circle;
  expect(found(circle)).toEqual([]);
  for (const input of [undefined, null, 1, [], () => 1, Symbol("s"), { a: undefined, b: Number.NaN, c: new Date() }])
    expect(found(input)).toEqual([]);
  expect(checkCall({ name: undefined as never, input: undefined })).toHaveLength(1);
  const pieces = [
    "</parameter>",
    "<parameter name=",
    '"path"',
    ">",
    "<|",
    "|>",
    "</",
    "content",
    "\n",
    '"',
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "]<]minimax[>[",
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.jsonValue(), (content, other) => {
      for (const input of [content, { content }, { content, other }, other])
        for (const { code, at = 0, message } of checkCall({ name: "write_file", input }, tool))
          expect([code, message.length > 0, at <= content.length || code !== "core/leaked-closer"]).toEqual([
            code,
            true,
            true,
          ]);
    }),
  );
});

it("takes a text that is no JSON for one that came once", () => {
  for (const input of ["[REDACTED_ARGUMENTS len=77]", "{path: a}", "[a][b]", "{a}{a}", ' "a" ', "[1]\n"])
    expect(found(input)).toEqual([]);
  expect(found("[1][1]")).toEqual(["doubled-input  3"]);
});
