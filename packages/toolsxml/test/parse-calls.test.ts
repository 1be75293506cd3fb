import { describe, expect, it } from "vitest";
import { parse } from "../src/index.ts";
import { readTools, tools } from "./read-chunks.ts";

const script = (text: string): object => ({ status: "complete", calls: [{ tool: "command", script: text }] });
const edit = (find: string, replace: string): object => ({
  status: "complete",
  calls: [{ tool: "edit", files: [{ src: "a", edits: [{ find, replace }] }] }],
});
const pair = (find: string, replace: string): string =>
  `<edit><file src="a"><find>${find}</find><replace>${replace}</replace></file></edit>`;

const bodies = [
  "a && b < c",
  "const x: Map<string, Array<T>> = y as any;",
  "if [ $x -lt 3 ]; then echo a > b 2>&1; fi",
  "cat <<EOF > a.html\n<!DOCTYPE html>\n<p>a &nbsp; b</p>\n<!-- c -->\nEOF",
  "return <Row key={i} {...p}>{a < b && <b/>}</Row>;",
  "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other",
  "<|[REQUEST_TOOL]|>\ncommand:»»»f«««\n<|[END_TOOL]|>",
  "[tool_call]\nstatus = 'success'\ncode = '''\nx\n'''",
  "<results>\n<result>x</result>\n</results>",
  "<think>hm</think>",
  "echo '</tools>'",
  "<tools>\n  <command>ls</command>\n</tools>",
];

describe("raw bodies come out byte for byte", () => {
  it.each(bodies)("%j", (body) => {
    expect(readTools(`<command>${body}</command>`)).toMatchObject(script(body));
    expect(readTools(pair(body, body))).toMatchObject(edit(body, body));
    expect(readTools(`<write_file path="p">${body}</write_file>`).calls).toEqual([
      { tool: "custom", name: "write_file", input: { path: "p", text: body } },
    ]);
  });
});

/** The same texts, which hold a tag that does not balance. */
const doubtful = (read: object): object => ({ ...read, status: "recovered", codes: ["toolsxml/doubtful-close"] });

it("keeps tags that don't balance, and says so", () => {
  const text = "```xml\n<tools>\n```";
  const quoted = "echo '</edit></file></read></mcp>'";
  expect(readTools(`<command>${text}</command>`)).toMatchObject(doubtful(script(text)));
  expect(readTools(`<command>${quoted}</command>`)).toMatchObject(script(quoted));
  expect(readTools(pair(quoted, "x"))).toMatchObject(doubtful(edit(quoted, "x")));
  expect(readTools(`<write_file path="p">${text}</write_file>`)).toMatchObject({
    status: "recovered",
    calls: [{ input: { path: "p", text } }],
  });
});

describe("the closing tag", () => {
  it.each([
    'echo "</command>" done',
    'echo "<command>"',
    "echo '<command>a</command>'",
    "cat <<E\n<tools>\n<command>\nls\n</command>\n</tools>\nE",
    "cat <<E\n<command>a</command>\n<command>b</command>\nE",
    "cat <<E\n</tools>\nE",
    "echo '</command>' <!-- x -->",
    "<commander></commander>",
  ])("of a command that holds %j", (body) => {
    const again = "\n<!-- next -->\n<ctrl>c</ctrl>";
    expect(readTools(`<command>${body}</command>${again}`)).toMatchObject({
      status: "complete",
      calls: [{ script: body }, { tool: "ctrl" }],
      codes: [],
    });
  });

  it.each(["</command>", "</command></command>"])("of a command that holds %j stands, but may be another", (body) => {
    expect(readTools(`<command>${body}</command>`)).toMatchObject(doubtful(script(body)));
  });

  it.each(["<find>a</find>", "<find>a</find>\n<replace>b</replace>", "<replace></replace>", "Use `<find>` here."])(
    "of a find that holds %j",
    (body) => {
      expect(readTools(pair(body, "x"))).toMatchObject({ ...edit(body, "x"), codes: [] });
    },
  );

  it.each(["<replace>a</replace>", '<file src="b"><find>1</find><replace>2</replace></file>'])(
    "of a replace that holds %j",
    (body) => {
      expect(readTools(pair("x", body))).toMatchObject({ ...edit("x", body), codes: [] });
    },
  );

  it.each(["</find>", "<find>", "a</find>b", "</file></edit></tools>"])(
    "of a find that holds %j stands, but may be another",
    (body) => {
      expect(readTools(pair(body, "x"))).toMatchObject(doubtful(edit(body, "x")));
    },
  );

  it.each(["</replace>", "<replace>", "<find>"])("of a replace that holds %j stands, but may be another", (body) => {
    expect(readTools(pair("x", body))).toMatchObject(doubtful(edit("x", body)));
  });

  it("that was inner text after all is never a silent cut", () => {
    const { diagnostics } = parse("<tools>\n<command>echo '</command></tools>'</command>\n</tools>");
    expect(diagnostics).toMatchObject([{ code: "toolsxml/doubtful-close", affects: "value" }]);
  });

  it("is doubtful when inner tags on lines of their own don't balance", () => {
    const { calls, codes } = readTools("<command>\ncat <<E\n<command>\nE\n</command>");
    expect({ calls, codes }).toEqual({
      calls: [{ tool: "command", script: "cat <<E\n<command>\nE" }],
      codes: ["toolsxml/doubtful-close"],
    });
  });
});

describe("entities and CDATA", () => {
  it.each([
    ["a &amp;&amp; b &lt; c", "a && b < c", "toolsxml/entities-decoded"],
    ["echo &lt; && b", "echo &lt; && b", "toolsxml/literal-entities"],
    ["&nbsp;&lt;", "&nbsp;&lt;", "toolsxml/literal-entities"],
    ["&#x41;&#66;", "AB", "toolsxml/entities-decoded"],
    ["&#0;&lt;", "&#0;&lt;", "toolsxml/literal-entities"],
    ["&amp;lt;", "&lt;", "toolsxml/entities-decoded"],
  ])("%j reads as %j", (body, text, code) => {
    expect(readTools(pair(body, "x"))).toMatchObject({ ...edit(text, "x"), codes: [code] });
  });

  it.each([
    ["<![CDATA[a &lt; <b>]]>", "a &lt; <b>"],
    ["\n  <![CDATA[\n a\n]]>\n  ", "\n a\n"],
    ["<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"],
    ["<![CDATA[</find></file></edit></tools>]]>", "</find></file></edit></tools>"],
    ["x <![CDATA[ < ]]> &lt;", "x  <  <"],
    // It belongs to the file.
    ["<title><![CDATA[a]]></title>", "<title><![CDATA[a]]></title>"],
    ["a <![CDATA[ b", "a <![CDATA[ b"],
  ])("%j reads as %j", (body, text) => {
    expect(readTools(pair(body, "x"))).toMatchObject(edit(text, "x"));
  });

  it("reports CDATA that is not closed", () => {
    expect(readTools("<command><![CDATA[ls -l</command>")).toMatchObject({
      status: "recovered",
      calls: [{ script: "ls -l" }],
      codes: ["toolsxml/unclosed-cdata"],
    });
  });
});

describe("layout", () => {
  it.each([
    ["\n    if a; then\n      b\n    fi\n  ", "if a; then\n  b\nfi"],
    ["cd a\n    ls\n    pwd\n  ", "cd a\n    ls\n    pwd"],
    ["\n\tcat <<E\n\t  x\n\t\ty\n\tE\n", "cat <<E\n  x\n\ty\nE"],
    ["\r\n  a\r\n  b\r\n", "a\nb"],
    ["  ls  ", "ls"],
    ["\n  a\n\n  b\n", "a\n\nb"],
    ["<![CDATA[  keep\n  this ]]>", "  keep\n  this "],
    ["\n  a <![CDATA[\n    x]]>\n  b\n", "a \n    x\nb"],
  ])("of the command %j", (body, text) => {
    expect(readTools(`<command>${body}</command>`)).toMatchObject(script(text));
  });

  it.each([
    ["\n  a\n", "  a"],
    ["\n\na\n\n", "\na\n"],
    ["\na\n    ", "a"],
    ["\r\na\r\n", "a"],
    ["  a ", "  a "],
    ["\n", ""],
    ["&#10;a&#10;", "\na\n"],
  ])("of the text %j", (body, text) => {
    expect(readTools(pair("x", body))).toMatchObject(edit("x", text));
    if (text !== "") expect(readTools(pair(body, "x"))).toMatchObject(edit(text, "x"));
  });
});

describe("built-in tags", () => {
  it.each([
    ['<command timeout="1.5" cwd="a b">ls</command>', { tool: "command", script: "ls", timeoutMs: 1500, cwd: "a b" }],
    [
      '<read><file src="a" from="2" to=3/><file src=b></file><search pattern="x>" glob=\'*.ts\'/></read>',
      {
        tool: "read",
        files: [{ src: "a", from: 2, to: 3 }, { src: "b" }],
        searches: [{ pattern: "x>", glob: "*.ts" }],
      },
    ],
    ["<read><file src='</read></tools>'/></read>", { tool: "read", files: [{ src: "</read></tools>" }], searches: [] }],
    ["<get_value key='A' reason=\"it's\" note=n />", { tool: "get_value", key: "A", reason: "it's", note: "n" }],
    ["<input>y\\n\\x1b\\\\q\\q</input>", { tool: "input", data: "y\n\u001b\\q\\q" }],
    ["<input> a\n</input>", { tool: "input", data: " a\n" }],
    ["<ctrl> C </ctrl>", { tool: "ctrl", key: "c" }],
    ["<ctrl>\\</ctrl>", { tool: "ctrl", key: "\\" }],
    [
      '<mcp server="s" tool="t">{"a": "x < y </mcp> &lt;"}</mcp>',
      { tool: "mcp", server: "s", name: "t", arguments: { a: "x < y </mcp> &lt;" } },
    ],
    ["<mcp server=s tool=t>{&quot;a&quot;: 1}</mcp>", { tool: "mcp", server: "s", name: "t", arguments: { a: 1 } }],
    ["<mcp server=s tool=t/>", { tool: "mcp", server: "s", name: "t", arguments: {} }],
    [
      "<edit><file src=a><find all>1</find><replace/></file></edit>",
      { tool: "edit", files: [{ src: "a", edits: [{ find: "1", replace: "", all: true }] }] },
    ],
  ])("%s", (text, call) => {
    expect(readTools(text)).toMatchObject({ status: "complete", calls: [call] });
    expect(readTools(text).calls).toEqual([call]);
  });

  it.each([
    ["<command> \n </command>", "toolsxml/empty-body"],
    ['<command timeout="soon">ls</command>', "toolsxml/invalid-attribute"],
    ['<command timeout="0">ls</command>', "toolsxml/invalid-attribute"],
    ['<command cwd="a>ls</command><ctrl>"c</ctrl>', "toolsxml/malformed-tag"],
    ["<edit/>", "toolsxml/empty-body"],
    ["<edit><file src='a'></file></edit>", "toolsxml/empty-body"],
    [pair("a", "b").replace(' src="a"', ""), "toolsxml/missing-attribute"],
    ["<edit><file src='a'><find>1</find></file></edit>", "toolsxml/missing-replace"],
    ["<edit><file src='a'><find>1</find><find>2</find><replace>3</replace></file></edit>", "toolsxml/missing-replace"],
    ["<edit><file src='a'><replace>3</replace></file></edit>", "toolsxml/missing-find"],
    ["<edit><find>1</find><replace>3</replace></edit>", "toolsxml/unknown-tag"],
    ["<edit><file src='a'><find>1<replace>3</replace></file></edit>", "toolsxml/unclosed-tag"],
    ["<read></read>", "toolsxml/empty-body"],
    ["<read><file/></read>", "toolsxml/missing-attribute"],
    ["<read><search src='a'/></read>", "toolsxml/missing-attribute"],
    ["<read><file src='a' from='3' to='2'/></read>", "toolsxml/invalid-attribute"],
    ["<get_value key='1a' reason='b'/>", "toolsxml/invalid-attribute"],
    ["<get_value key='a'/>", "toolsxml/missing-attribute"],
    ["<ctrl>cc</ctrl>", "toolsxml/invalid-key"],
    ["<mcp server='s' tool='t'>[1]</mcp>", "toolsxml/invalid-json"],
    ["<mcp server='s' tool='t'>{\"n\": 12345678901234567890}</mcp>", "toolsxml/invalid-json"],
    ["<mcp server='s'>{}</mcp>", "toolsxml/missing-attribute"],
    ["<search limit='many' query='x'/>", "toolsxml/invalid-value"],
    ["<search><query>a", "toolsxml/unclosed-tag"],
  ])("%s is wrong, and the call beside it is right", (text, code) => {
    const { status, calls, codes } = readTools(`<ctrl>d</ctrl>${text}`);
    expect(status).toBe("invalid");
    expect(calls).toEqual([{ tool: "ctrl", key: "d" }]);
    expect(codes).toContain(code);
  });

  it("says what is missing, at the tag", () => {
    const text = "<tools><get_value key='A'/></tools>";
    const [found] = parse(text).diagnostics;
    expect(found?.message).toBe("<get_value> needs the attribute reason.");
    expect(text.slice(found?.span.start, found?.span.end)).toBe("<get_value key='A'/>");
  });
});

describe("custom tags", () => {
  const input = (text: string): unknown => readTools(text).calls.map((call) => "input" in call && call.input);

  it.each([
    ["<search query='a' limit='3'/>", { query: "a", limit: 3 }],
    ["<SEARCH Query='a'><LIMIT>3</Limit></search>", { query: "a", limit: 3 }],
    [
      "<search>\n  <query>a < b &amp;</query>\n  <!-- c -->\n  <limit> 3 </limit>\n</search>",
      { query: "a < b &amp;", limit: 3 },
    ],
    ["<search><query>\n  x\n</query></search>", { query: "  x" }],
    ["<search><query><div><b>x</b></div></query></search>", { query: "<div><b>x</b></div>" }],
    ["<search query='a'><sites>b</sites><sites>c</sites></search>", { query: "a", sites: ["b", "c"] }],
    ["<search query='a'><sites>b</sites></search>", { query: "a", sites: ["b"] }],
    ["<search query='a'><sites><item>b</item><item>c</item></sites></search>", { query: "a", sites: ["b", "c"] }],
    ["<search query='a'><filter><year>2024</year></filter></search>", { query: "a", filter: { year: 2024 } }],
    [
      '<search>{"query": "</search> a", "filter": {"__proto__": 1}}</search>',
      JSON.parse('{"query": "</search> a", "filter": {"__proto__": 1}}'),
    ],
    ["<search/>", {}],
    ["<write_file path='a' mode='420'>\nx < y\n</write_file>", { path: "a", mode: 420, text: "x < y" }],
    ["<write_file path='a'><path>b</path></write_file>", { path: "a", text: "<path>b</path>" }],
    ["<write_file path='a' text='b'/>", { path: "a", text: "b" }],
  ])("%s", (text, expected) => {
    expect(input(text)).toEqual([expected]);
    expect(readTools(text).status).toBe("complete");
  });

  it("takes a bare body as the one parameter that is needed, and says so", () => {
    expect(readTools("<search limit='2'>cats and dogs</search>")).toEqual({
      status: "recovered",
      calls: [{ tool: "custom", name: "search", input: { limit: 2, query: "cats and dogs" } }],
      codes: ["toolsxml/bare-body"],
    });
  });

  it("says which parameter may be meant", () => {
    const { diagnostics } = parse("<tools><search quer='a'/></tools>", { tools });
    expect(diagnostics).toMatchObject([{ code: "toolsxml/unknown-property", hint: "Did you mean query?" }]);
  });

  it("keeps a closing tag that does not balance in a child, and says so", () => {
    expect(readTools("<search><query></query></query></search>")).toMatchObject(
      doubtful({ calls: [{ tool: "custom", input: { query: "</query>" } }] }),
    );
  });

  it("keeps prototype names as plain data", () => {
    const { calls } = readTools("<record><__proto__><a>1</a></__proto__></record>", {
      tools: [{ name: "record", description: "", inputSchema: { type: "object" } }],
    });
    expect(calls).toEqual([{ tool: "custom", name: "record", input: JSON.parse('{"__proto__": {"a": "1"}}') }]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});
