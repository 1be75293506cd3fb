import { isRunnable, neutralize } from "@toolglot/core";
import { cut, expectSpans } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";
import { type AttpDocument, type AttpParserOptions, parse, serialize } from "../src/index.ts";
import { documentOf, essence, readChunks } from "./fixtures.ts";

/** Pieces that mean something to the parser, whole and in parts, and a few that mean nothing. */
const pieces = [
  "'''", "'''\n", '"""', '"""\n', "```", "```toml\n", "```\n", "~~~\n", "  ```toml\n", "  ", "\n", "\n\n", "\r\n", "\r",
  "\\", "\\d", "\\n", '"', "'", "`", "``", "thought = ", 'thought = "t"\n', 'thought = """\n', "[tool_call]\n",
  "[ToolCall]\n", "[[tool_call]]\n", "[tool_result]\n", 'status = "success"\n', "status = success\n", 'status = "fail"\n',
  'target = "a"\n', "target = “a”\n", 'target = "a "b" c"\n', "code = '''\n", 'code = """\n', "code = ```python\n",
  "code = `x`\n", 'message = "m"\n', 'message = "m\nn"\n', "x = 1\n", "y = [1,\n", "]\n", "a = '''\n", "# c\n", " // n\n",
  "__result__ = 1\n", "def f():\n", "    '''doc'''\n", "prose here\n", "<b> `x`\n", "<think>", "</think>", "<results>\n",
  "<tools>\n", "{", '{"thought":"a",', '"tool_call":{', '"status":"fail","message":"m"}}', "}\n", "{\n", "```json\n", "😀",
  "\u00a0", "＝", "=", ":", "“", "”", "‘‘‘\n", "’’’\n", "\uFEFF", "tool_call.code = '''\n", "```python\n", "status =", "co", "de",
]; // biome-ignore format: one list
const nasty = fc
  .tuple(
    fc.constantFrom("", "", documentOf("", { close: "" }), `  \`\`\`toml\n${documentOf("", { close: "" })}`),
    fc.array(fc.constantFrom(...pieces), { maxLength: 18 }),
  )
  .map(([start, list]) => start + list.join(""));
const options: fc.Arbitrary<AttpParserOptions> = fc.constantFrom(
  {}, {}, {}, { strict: true }, { reasoning: "search" }, { startsInReasoning: true }, { language: "javascript" },
  { repairs: { "attp/inner-quotes": false } }, { maxInputLength: 60 },
); // biome-ignore format: one list
const ends = fc.constantFrom(
  undefined,
  undefined,
  { finish: "length" as const },
  { finish: "stop" as const, stopSequence: "```" },
);

it("says the same for every chunking, and its deltas add up", () => {
  fc.assert(
    fc.property(
      nasty,
      options,
      ends,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      (text, choice, end, sizes) => {
        const whole = readChunks([text], choice, end);
        expect(readChunks(cut(text, sizes), choice, end)).toEqual(whole);
        expect(readChunks(text.split(""), choice, end)).toEqual(whole);
        const sums: Record<string, string>[] = [];
        for (const event of whole.events) {
          if (event.phase === "block-start") sums.push({});
          const sum = sums.at(-1);
          if (event.phase === "delta" && sum) sum[event.type] = (sum[event.type] ?? "") + event.text;
        }
        whole.result.blocks.forEach(({ thought, toolCall, status }, index) => {
          if (status === "invalid") return;
          const sum = sums[index] ?? {};
          expect(sum["thought-delta"] ?? "").toBe(thought ?? "");
          // A document cut off after an unreadable status has no call, and what was already given out stays said.
          expect(toolCall !== undefined || status === "truncated").toBe(true);
          if (!toolCall) return;
          expect(sum["code-delta"] ?? "").toBe(toolCall.code ?? "");
          expect(sum["message-delta"] ?? "").toBe(toolCall.message ?? "");
          expect(sum.target ?? "").toBe(toolCall.target ?? "");
        });
      },
    ),
    { numRuns: 600 },
  );
});

it("says the same for every cut in two", () => {
  for (const text of [
    documentOf("def f():\n    '''\n    d\n    '''\n    return '\\d'\n", { fence: "```" }),
    `a \`<think>\` <think a="b">x</think>\r\n${documentOf("  x = 1\n  y = 2\n").replaceAll("\n", "\r\n")}\r\nbye`,
    documentOf('a = "\\d"\n', { open: '"""\n', close: '"""' }),
    `Sure.\n${JSON.stringify({ thought: "t\n", tool_call: { status: "fail", message: 'a "b" }' } })}\n`,
  ]) {
    const whole = readChunks([text]);
    for (let at = 1; at < text.length; at += 1)
      expect(readChunks([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(whole);
  }
});

it("keeps spans in order and inside the text, and never makes up a program", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const result = parse(text);
      const { blocks, diagnostics } = result;
      expectSpans(text, result);
      expect(diagnostics.map(({ span }) => span.start)).toEqual(
        diagnostics.map(({ span }) => span.start).sort((a, b) => a - b),
      );
      for (const { toolCall, codeSpan } of blocks) {
        if (!toolCall?.code || !codeSpan) continue;
        const written = text.slice(codeSpan.start, codeSpan.end).replace(/\s/g, "");
        if (!written.includes("\\")) expect(written).toContain(toolCall.code.replace(/\s/g, ""));
      }
    }),
    { numRuns: 600 },
  );
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        "'''",
        '"""',
        "'",
        '"',
        "\\",
        "\n",
        "\r\n",
        "\r",
        "    ",
        "```\n",
        "`",
        "x = 1",
        "\0",
        "\u007f",
        "\t",
        "\ud83d",
        "＝",
        "</think>",
      ),
      { maxLength: 12 },
    )
    .map((list) => list.join("")),
);

it("reads back whatever it writes", () => {
  const whole = anyText.filter((text) => !/[\ud800-\udfff]/u.test(text));
  const json = fc.oneof(
    whole,
    fc.integer(),
    fc.boolean(),
    fc.array(fc.oneof(fc.integer(), whole), { maxLength: 3 }),
    fc.dictionary(whole, fc.integer(), { maxKeys: 2 }),
  );
  const key = fc
    .oneof(fc.constantFrom("__proto__", "a", "a b", "", "constructor"), whole)
    .filter((text) => !/^(thought|status|target|code|message|tool[-_ ]?calls?)$/i.test(text));
  const call = fc.oneof(
    fc.record({
      status: fc.constant("success" as const),
      target: anyText,
      code: anyText.filter((text) => text.trim() !== ""),
    }),
    fc.record({ status: fc.constant("fail" as const), message: anyText }),
  );
  fc.assert(
    fc.property(
      fc.option(anyText, { nil: undefined }),
      call,
      fc.array(fc.tuple(key, json), { maxLength: 2 }),
      (thought, toolCall, list) => {
        const extra = Object.fromEntries(list);
        const document: AttpDocument = {
          status: "complete",
          span: { start: 0, end: 0 },
          toolCall,
          extra,
          ...(thought === undefined ? {} : { thought }),
        };
        const text = serialize(document);
        const { blocks } = parse(text);
        expect(blocks.length, text).toBe(1);
        expect(blocks[0]?.status, text).toBe("complete");
        expect(JSON.stringify(essence(blocks[0] as AttpDocument)), text).toBe(
          JSON.stringify({
            ...(thought === undefined ? {} : { thought }),
            toolCall: sorted(toolCall, blocks[0]),
            extra: sortedExtra(extra, blocks[0]),
          }),
        );
        expect(() => parseToml(text)).not.toThrow();
      },
    ),
    { numRuns: 500 },
  );
});

/** The same values, in the order in which the document has them. */
function sorted(call: object, block: AttpDocument | undefined): object {
  return Object.fromEntries(
    Object.keys(block?.toolCall ?? {}).map((name) => [name, Object.getOwnPropertyDescriptor(call, name)?.value]),
  );
}

function sortedExtra(extra: object, block: AttpDocument | undefined): object {
  return Object.fromEntries(
    Object.keys(block?.extra ?? {}).map((name) => [name, Object.getOwnPropertyDescriptor(extra, name)?.value]),
  );
}

it("runs nothing of a document that lost its end", () => {
  const text = documentOf("def f():\n    '''\n    doc\n    '''\n    return 1\n__result__ = f()\n", { fence: "```" });
  for (let end = 1; end < text.length - 4; end += 1) {
    const { result } = readChunks([text.slice(0, end)], {}, { finish: "length" });
    expect(result.blocks.some(isRunnable), JSON.stringify(text.slice(0, end))).toBe(false);
  }
});

it("finds no document in text that was neutralised", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const { blocks, segments } = parse(neutralize(text), { reasoning: "search" });
      expect(blocks).toEqual([]);
      expect(segments.every(({ type }) => type === "text")).toBe(true);
    }),
    { numRuns: 400 },
  );
});
