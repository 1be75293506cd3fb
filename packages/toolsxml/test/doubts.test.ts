import { expect, it } from "vitest";
import { parse, type ToolsXmlParseOptions } from "../src/index.ts";
import { tools } from "./read-chunks.ts";

/** Calls by tag, each with whether a finding puts it in doubt; blocks apart. */
function doubts(text: string, options: ToolsXmlParseOptions = { tools }): string[] {
  const { blocks, diagnostics } = parse(text, options);
  return blocks.map(({ status, calls }) => {
    const told = calls.map(({ tool, span }) => {
      const own = diagnostics.filter(
        (one) => one.affects === "value" && one.span.start < span.end && one.span.end > span.start,
      );
      return own.length > 0 ? `${tool}?` : tool;
    });
    return [status, ...told].join(" ");
  });
}
const codes = (text: string): string[] =>
  parse(text, { tools }).diagnostics.map(({ code }) => code.replace("toolsxml/", ""));

const first = "<tools>\n<command>rm -rf a</command>\n";
const second = "<tools>\n<command>ls</command>\n</tools>";
it.each([
  ["in a tag", `${first}<edit><file src="b"><find>x</find><repl\n\nSorry. Instead:\n\n${second}`],
  ["in a body", `${first}<edit><file src="b"><find>x</find><replace>y\n\nSorry. Instead:\n${second}`],
  ["in CDATA", `${first}<edit><file src="b"><find><![CDATA[x\n\nSorry:\n${second}`],
  ["in the value of a custom call", `${first}<search><query>abc\n  ${second}`],
  ["in an attribute", `${first}<search query="abc\n${second}`],
  ["between calls", `${first}\nSorry:\n${second}`],
  ["by a server that began again", `${first}<search><query>abc${second}`],
])("a block that is given up %s has calls in doubt, and the next one is read", (_, text) => {
  expect(doubts(text)).toEqual(["recovered command?", "complete command"]);
});

it("leaves the calls of a text that ends in the block as they are", () => {
  expect(doubts(`${first}<edit><file src="b"><find>x</find><repl`)).toEqual(["recovered command"]);
  expect(doubts(`${first}<!-- now\n${second}`)).toEqual(["recovered command"]);
  expect(doubts(`${first}<search><query>abc\ndef\n\nghi`)).toEqual(["recovered command"]);
  expect(doubts(`${first}<search query\n\nI stop here.`)).toEqual(["recovered command?"]);
});

const block = (body: string): string => `<tools>\n<read><file src="a"/></read>\n${body}\n<ctrl>c</ctrl>\n</tools>`;
it.each([
  ["# <command>rm x</command>", "command?"],
  ["// <command>rm x</command>", "command?"],
  ["% <search query='x'/>", "custom?"],
  ["/* <command>rm x</command> */", "command?"],
  ["<search query='x'/> -- not yet", "custom?"],
  ["/*\n<command>rm x</command>\n*/", "command?"],
  ['"""\n<command>rm x</command>\n"""', "command?"],
  ["{{! old\n<command>rm x</command>\n}}", "command?"],
  ["#if 0\n<command>rm x</command>\n#endif", "command?"],
  ["Then I run:\n<command>rm x</command>", "command"],
])("what may be commented out is in doubt, and its neighbours are not: %j", (body, call) => {
  expect(doubts(block(body))).toEqual([`recovered read ${call} ctrl`]);
});

it("puts files of an edit that may be commented out in doubt", () => {
  const edit = '<file src="a"><find>x</find><replace>y</replace></file>';
  expect(doubts(`<tools><edit>\n# ${edit}\n</edit></tools>`)).toEqual(["recovered edit?"]);
  expect(doubts('<tools><read>\n<file src="b"/>\n// <file src="a"/>\n</read></tools>')).toEqual(["recovered read?"]);
});

const edit = (replace: string): string =>
  `<tools><edit><file src="a"><find>x</find><replace>${replace}</replace></file></edit></tools>`;
it.each([
  edit("<![CDATA[let a =\n<replace><![CDATA[let a = 1]]>"),
  edit("<![CDATA[let a =\n<replace>let a = 1]]>"),
  edit('<![CDATA[let a =\n<find all="true">\n<![CDATA[let a = 1]]>'),
  "<tools><search><query><![CDATA[a\n<query><![CDATA[a]]></query></search></tools>",
  "<tools><search><query><![CDATA[a\n<sites><![CDATA[b]]></query></search></tools>",
  "<tools><write_file><![CDATA[a\n<write_file path='x'><![CDATA[b]]></write_file></tools>",
  "<tools><command><![CDATA[a\n<command><![CDATA[b]]></command></tools>",
])("CDATA that was begun twice is in doubt: %j", (text) => {
  expect(doubts(text)[0]).toMatch(/\?$/);
  expect(codes(text)).toContain("doubtful-close");
});
it.each([edit("<![CDATA[<div><![CDATA[x]]>"), edit("<![CDATA[<replace>x</replace>]]>"), edit("<![CDATA[</find>]]>")])(
  "other CDATA is exact: %j",
  (text) => expect(doubts(text)).toEqual(["complete edit"]),
);

it.each([
  edit("# Title</content>\n</invoke>"),
  edit("x\n</parameter>\n</invoke>\n"),
  edit("<![CDATA[x\n</parameter>]]>"),
  "<tools><command>ls</arg_value></tool_call></command></tools>",
  "<tools><search><query>a<|im_end|></query></search></tools>",
  "<tools><search><query><![CDATA[a</function>\n]]>\n</query></search></tools>",
  '<tools><search>{"query": "a</parameter>\\n</invoke>"}</search></tools>',
  "<tools><write_file>a\n[/TOOL_CALL]</write_file></tools>",
  "<tools><input>y</s></input></tools>",
  "<tools><search query='a</parameter>'/></tools>",
])("a value that ends with closers of another format is in doubt: %j", (text) => {
  expect(doubts(text)[0]).toMatch(/^recovered .*\?$/);
  expect(codes(text)).toContain("foreign-closer");
});
it.each([
  edit("<invoke>\n</invoke>"),
  edit("the </invoke> tag"),
  edit("<![CDATA[x</invoke]]><![CDATA[>]]>"),
  edit("</div>"),
])("closers that the value opens, mentions or parts are its own: %j", (text) =>
  expect(codes(text)).not.toContain("foreign-closer"),
);

it.each([
  ['<read><file src=" a.txt "/></read>', "read?"],
  ['<read><file src="`a.txt`"/></read>', "read?"],
  ['<read><file src="**a.txt**"/></read>', "read?"],
  ['<read><file src="\u200ba.txt"/></read>', "read?"],
  ['<read><search pattern="x" glob="*test*"/></read>', "read"],
  ['<read><file src="&#32;a.txt"/></read>', "read"],
  ['<command cwd="「src」">ls</command>', "command?"],
  ['<command>{"script": "ls"}</command>', "command?"],
  ["<command>{ ls; }</command>", "command"],
  ["<search><query>`a.txt`</query></search>", "custom?"],
  ["<search><query>\u3000a</query></search>", "custom?"],
  ["<search><query><![CDATA[`a.txt`]]></query></search>", "custom"],
  ["<search><query>`a` and `b`</query></search>", "custom"],
  ['<write_file>"a"</write_file>', "custom"],
])("a value that is dressed is kept with a doubt: %j", (call, told) => {
  expect(doubts(`<tools>\n${call}\n</tools>`)).toEqual([`complete ${told}`]);
});

it.each([
  ["\u200b\n    cat > x <<'E'\n    a\n    E\n  ", "cat > x <<'E'\na\nE"],
  ["\n    if a; then\n\u3000\n      b\n    fi\n  ", "if a; then\n\n  b\nfi"],
  ["\ufeffls -l\u200b", "ls -l"],
  ["\n    a\u2060b\n  ", "a\u2060b"],
  ["<![CDATA[\u200bls]]>", "\u200bls"],
])("what nobody sees is no text at the ends of scripts, and makes no line: %j", (body, script) => {
  const text = `<tools>\n  <command>${body}</command>\n</tools>`;
  expect(parse(text).blocks[0]?.calls).toMatchObject([{ script }]);
  const edge = script === "ls -l";
  expect(codes(text)).toEqual(edge ? ["invisible-characters"] : []);
  expect(parse(text).blocks[0]?.status).toBe(edge ? "recovered" : "complete");
});
