import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readXml, type XmlElement, type XmlNode } from "../src/strict/read-xml.ts";

/** `.ci/run` tries five times as many. */
const times = rounds(1, 5);

const root = (source: string): XmlElement => {
  const read = readXml(source);
  if ("message" in read) throw new Error(read.message);
  return read;
};

it("should read elements, attributes, text, CDATA, comments and instructions in order, with spans", () => {
  const source = `<a x="1" y='a &gt; "b"'>t &amp; u<b/><![CDATA[<c>&amp;]]><!-- note --><?pi x?><d>in</d>\n</a>`;
  const read = root(source);
  expect(read.attributes).toEqual([
    { name: "x", value: "1" },
    { name: "y", value: 'a > "b"' },
  ]);
  const shown = read.children.map((child) => [
    child.type,
    child.type === "element" ? child.name : child.type === "instruction" ? "" : child.raw,
    source.slice(child.span.start, child.span.end),
  ]);
  expect(shown).toEqual([
    ["text", "t &amp; u", "t &amp; u"],
    ["element", "b", "<b/>"],
    ["cdata", "<c>&amp;", "<![CDATA[<c>&amp;]]>"],
    ["comment", " note ", "<!-- note -->"],
    ["instruction", "", "<?pi x?>"],
    ["element", "d", "<d>in</d>"],
    ["text", "\n", "\n"],
  ]);
  const [, empty, , , , filled] = read.children as XmlElement[];
  expect([empty?.inner, filled?.inner]).toEqual(["", "in"]);
  expect(source.slice(filled?.innerSpan.start, filled?.innerSpan.end)).toBe("in");
});

it("should guess nothing and trim nothing", () => {
  const names = ["constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "a.b-c_d:e", "名"];
  for (const name of names) {
    const { children, attributes } = root(`<r ${name}=" 007 "><${name}/><${name}> 0x1F </${name}>\t</r>`);
    expect(attributes).toEqual([{ name, value: " 007 " }]);
    expect(children).toMatchObject([
      { name, inner: "" },
      { name, inner: " 0x1F ", children: [{ raw: " 0x1F " }] },
      { raw: "\t" },
    ]);
  }
  expect(root("<r> true </r>").children).toMatchObject([{ raw: " true " }]);
  expect(root("<r><![CDATA[]]></r>").children).toMatchObject([{ type: "cdata", raw: "" }]);
});

it("should read CRLF as LF, and keep spans and inner text as written", () => {
  const source = '\ufeff<?xml version="1.0"?>\r\n<a>\r\n<b>x\r\ny\r</b>\r\n<!--\r\n--></a>\r\n';
  const read = root(source);
  const [, b, , comment] = read.children as [XmlNode, XmlElement, XmlNode, XmlNode];
  expect(b.children).toMatchObject([{ raw: "x\ny\n" }]);
  expect(b.inner).toBe("x\r\ny\r");
  expect(source.slice(b.span.start, b.span.end)).toBe("<b>x\r\ny\r</b>");
  expect(source.slice(b.innerSpan.start, b.innerSpan.end)).toBe("x\r\ny\r");
  expect(source.slice(comment.span.start, comment.span.end)).toBe("<!--\r\n-->");
  expect(source.slice(read.span.start, read.span.end)).toBe(source.slice(24, -2));
});

it.each([
  ["plain text", "hello", 0],
  ["nothing", "", 0],
  ["a bare <", "<a>x < y</a>", 6],
  ["a bare &", "<a>x && y</a>", 5],
  ["an unknown entity", "<a>b&nbsp;c</a>", 4],
  ["a reference to no character", "<a>&#0;</a>", 3],
  ["a reference to a surrogate", "<a>&#xD800;</a>", 3],
  ["a reference beyond Unicode", "<a>&#x110000;</a>", 3],
  ["a control character", "<a>\u001b[1m</a>", 3],
  ["a lone surrogate", "<a>\ud83d</a>", 3],
  ["]]> in text", "<a>x ]]> y</a>", 5],
  ["-- in a comment", "<a><!-- x -- y --></a>", 10],
  ["a comment that ends in -", "<a><!-- x ---></a>", 10],
  ["an unclosed comment", "<a/><!-- x", 0],
  ["an unclosed element", "<a><b></a>", 6],
  ["crossed elements", "<a>\n<b><c></b></c></a>", 10],
  ["< in an attribute", '<a x="<"/>', 0],
  ["an unknown reference in an attribute", '<a x="a&b"/>', 0],
  ["an attribute without quotes", "<a x=1></a>", 3],
  ["an attribute without a value", "<a x></a>", 3],
  ["an attribute twice", '<a x="1" x="2"></a>', 9],
  ["two roots", "<a/><b/>", 4],
  ["text behind the root", "<a/>x", 4],
  ["text before the root", "x<a/>", 0],
  ["a document type", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 0],
  ["a declaration that is none", "<a><!b></a>", 0],
  ["a section that is no CDATA", "<a><![cdata[x]]></a>", 3],
])("should refuse %s, and say where", (_name, source, start) => {
  const read = readXml(source);
  expect(read).toMatchObject({ message: expect.stringMatching(/\w/), span: { start } });
});

it("should never throw, and keep spans inside the source", () => {
  const piece = fc.constantFrom(
    ..."<>/&;'\"= \n-[]!?#x",
    "a",
    "<a>",
    "</a>",
    "<a/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "<?",
    "?>",
    "\ud800",
    "😀",
    "\r\n",
    ' b="c"',
    "<!DOCTYPE",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const source = pieces.join("");
      const read = readXml(source);
      expect(read.span.start).toBeGreaterThanOrEqual(0);
      expect(read.span.start).toBeLessThanOrEqual(read.span.end);
      expect(read.span.end).toBeLessThanOrEqual(source.length);
    }),
    { numRuns: 600 * times },
  );
});

it("should read what is nested as deep as a text can be", () => {
  const depth = 20_000;
  const source = `${"<a>".repeat(depth)}${"</a>".repeat(depth)}`;
  expect(root(source).span).toEqual({ start: 0, end: source.length });
});
