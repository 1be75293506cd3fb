import { describe, expect, it } from "vitest";
import { parse, serialize, type ToolsXmlCall } from "../src/index.ts";
import { readChunks } from "./read-chunks.ts";

/** Findings beyond `info`, as `code severity affects`; and the calls without spans. */
function read(text: string, options: object = {}): { said: string[]; calls: object[]; statuses: string[] } {
  const whole = readChunks([text], options);
  expect(readChunks(text.split(""), options)).toEqual(whole);
  const { blocks, diagnostics } = whole.result;
  return {
    said: diagnostics
      .filter(({ severity }) => severity !== "info")
      .map(({ code, severity, affects }) => `${code.replace("toolsxml/", "")} ${severity} ${affects}`),
    calls: blocks.flatMap(({ calls }) => calls.map(({ span, ...call }) => call)),
    statuses: blocks.map(({ status }) => status),
  };
}

const doubtful = ["doubtful-close warning value"];
const missingRoot = ["missing-root error structure"];
const edit = (inner: string): string => `<tools>\n<edit><file src="a">${inner}</file></edit>\n</tools>`;

describe("what may be two calls, or one", () => {
  it.each([
    "<tools><command>a</command> and <command>b</command></tools>",
    "<tools><command>a</command> and <nothing/><command>b</command></tools>",
    "<tools><search><query>1</query> and <query>2</query></search></tools>",
    "<tools>\n<command>cat > x <<EOF\n</command>\n<command>rm -rf /</command>\nEOF</command>\n</tools>",
    edit("<find>f</find><replace>a</replace>\n<find>b</find>\n<replace>c</replace>\nd</replace>"),
    edit("<find>a</find>\n<replace>b</replace></find><replace>x</replace>"),
  ])("is doubtful: %j", (text) => {
    expect(read(text).said).toEqual(doubtful);
  });

  it("is doubtful in both calls", () => {
    const { blocks, diagnostics } = parse(
      "<tools>\n<command>cat <<E\n</command>\n<command>rm x</command>\nE</command>\n</tools>",
    );
    const [first, second] = blocks[0]?.calls ?? [];
    expect(diagnostics.map(({ span }) => span)).toEqual([{ start: first?.span.start, end: second?.span.end }]);
  });

  it.each(["<!-- <command> -->ls", "ls # <!-- <command>x</command> -->"])("is not in a comment: %j", (script) => {
    const text = `<tools>\n<command>${script}</command>\n<command>b</command>\n</tools>`;
    expect(read(text)).toEqual({
      said: [],
      statuses: ["complete"],
      calls: [script, "b"].map((one) => ({ tool: "command", script: one })),
    });
  });
});

describe("calls outside a block", () => {
  it.each([
    "<command>ls</command>\n</tools>",
    "I do it:\n  <edit>\n<file src='a'></file></edit>\nDone.",
    '<get_value key="A" reason="b"/>\n',
    "<tool><command>ls</command></tool>",
    "<xools>\n<command>\nls\n</command>\n</tools>",
    "<tools\n  <command>ls</command>\n</tools>",
    "Done.\n</tools>",
    "```xml\n<command>ls</command>\n```\n",
    "<write_file path='p'>a <think>b</think> c\n</write_file>",
    "<tools>\n<ctrl>c</ctrl>\n</tools>\n<command>ls</command>",
  ])("are said: %j", (text) => {
    expect(read(text).said).toEqual(missingRoot);
  });

  it.each([
    "Write `<command>ls</command>` and `</tools>`.",
    "`<tools><command>ls</command></tools>`",
    "Between <tools> and </tools>, like <command>ls</command>.",
    "```python\n<command>ls</command>\n</tools>\n```\n",
    "<command>\nis a tag",
    "<input type='text'/>",
  ])("are not mentions: %j", (text) => {
    expect(read(text)).toEqual({ said: [], calls: [], statuses: [] });
  });

  it.each([
    ["<tools>I list: <command>ls</command></tools>", "value"],
    ["<tools>I list:\n  <command>ls</command>\n</tools>", "structure"],
  ])("are none with text behind the opener: %j", (text, affects) => {
    expect(read(text)).toEqual({
      said: [`stray-text warning ${affects}`],
      calls: [{ tool: "command", script: "ls" }],
      statuses: ["recovered"],
    });
  });
});

describe("envelopes", () => {
  const object = JSON.stringify({ reply: "Hi", tools: '<tools>\n<command>echo "a"</command>\n</tools>' });
  const calls = [{ tool: "command", script: 'echo "a"' }];
  it.each([`I do it:\n${object}\n`, `I do it:\n\`\`\`json\n${object}\n\`\`\`\n`, object.slice(0, -1)])(
    "are read with a warning: %j",
    (text) => {
      const warned = { said: ["json-envelope warning structure"], calls, statuses: ["recovered"] };
      expect(read(text)).toEqual(warned);
      const refused = { said: ["json-envelope error structure"], calls, statuses: ["invalid"] };
      expect(read(text, { strict: true })).toEqual(refused);
      expect(read(text, { repairs: { "toolsxml/json-envelope": false } })).toEqual(refused);
    },
  );

  it("belong to their fence", () => {
    const { segments } = parse(`\`\`\`json\n${object}\n\`\`\`\n`);
    expect(segments[0]?.span.start).toBe(0);
  });

  it.each(['Data:\n{"tools": "none"}\n', 'Data:\n{"reply": "x"}\n'])("are not other data: %j", (text) => {
    const { segments } = parse(text);
    expect(segments).toMatchObject([{ type: "text", text }]);
  });
});

describe("tags", () => {
  it.each(["“a b”", "‘a b’"])("take quotes of print: %s", (value) => {
    expect(read(`<tools>\n<read><file src=${value}/></read>\n</tools>`)).toEqual({
      said: ["curly-quotes warning structure"],
      calls: [{ tool: "read", files: [{ src: "a b" }], searches: [] }],
      statuses: ["recovered"],
    });
  });

  it.each([
    "<tools>\n<command\nmkdir -p a && cat > b\nls\n</command>\n</tools>",
    "<tools>\n<command ls > b</command>\n</tools>",
    "<tools>\n<command\nX=1 Y=2 > b</command>\n</tools>",
    "<tools>\n<write_file path='p'\nX=1 > b</write_file>\n</tools>",
    "<tools>\n<read><file src=“a/></read>\n</tools>",
    edit("<find>a</find><replace\nfoo > bar</replace>"),
  ])("that swallow text are errors: %j", (text) => {
    const { said, calls } = read(text);
    expect(said).toContain("malformed-tag error value");
    expect(calls).toEqual([]);
  });
});

describe("bodies", () => {
  it.each([
    "<![CDATA[a <x><![CDATA[ b ]]]]><![CDATA[></x>",
    "<![CDATA[a <![CDATA[ b ]]]]><![CDATA[> c",
    "<![CATA[a &lt; b]]>",
  ])("with a flaw in CDATA may be wrong: %j", (body) => {
    expect(read(edit(`<find>a</find><replace>${body}</replace>`)).said).toEqual(["unclosed-cdata warning value"]);
  });

  it("are empty in a find only on purpose", () => {
    expect(read(edit("<find></find><replace>x</replace>"))).toMatchObject({
      said: ["empty-body error value"],
      calls: [],
    });
    expect(read(edit("<find><![CDATA[]]></find><replace>x</replace>"))).toMatchObject({ said: [], calls: [{}] });
  });

  it("decode references with leading zeros", () => {
    expect(read("<tools><command>a &#x0000003c; &#0000000038;</command></tools>").calls).toMatchObject([
      { script: "a < &" },
    ]);
  });

  it("come back whole where tags in them open and don't close", () => {
    const lines = ["<command>", "<tools>", "<edit><file src='a'>", "<!--", "<think>", "<results>", "```xml"];
    for (const body of [lines.join("\n"), [...lines, ...lines].join("\n"), "<command>\n<tools>"])
      expect(read(`<tools>\n<command>\n${body}\n</command>\n</tools>\n`)).toMatchObject({
        said: doubtful,
        calls: [{ script: body }],
      });
  });

  it("in an edit may be longer where text or two closing tags are left over", () => {
    expect(read(edit("<find>a</find><replace>b</replace> rest")).said).toContain("stray-text warning value");
    expect(read("<tools>\n<edit><file src='a'><find>a</find><replace>b</replace>\n</tools>").said).toEqual([
      "unclosed-tag warning value",
    ]);
  });
});

it("writes fractions as they are", () => {
  const call: ToolsXmlCall = {
    tool: "mcp",
    server: "s",
    name: "t",
    arguments: { a: Number("1.9345678901234567"), b: 1e21, c: Number("12345678901234567000"), d: "1.9345678901234567" },
    span: { start: 0, end: 0 },
  };
  const { blocks } = parse(serialize({ calls: [call], comments: [] }));
  expect(blocks[0]?.calls[0]).toMatchObject({ arguments: call.arguments });
});

it("repairs a block whose body was cut behind it", () => {
  const text = "<tools>\n<command>cat <<E\n</command>\n</tools>\nE</command>\n</tools>";
  expect(read(text)).toMatchObject({ said: doubtful, statuses: ["recovered"] });
  expect(read(text, { strict: true })).toMatchObject({ said: ["doubtful-close error value"], statuses: ["invalid"] });
});
