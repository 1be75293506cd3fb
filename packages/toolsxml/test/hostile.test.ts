import { isRunnable } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { cut } from "@toolglot/internal/testing/parsers";
import { expect, it } from "vitest";
import { readChunks } from "./read-chunks.ts";

/** Ten times as long in `.ci/run`. */
const size = rounds(6_000, 60_000);
const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length));
const command = (body: string): string => `<tools><command>${body}</command></tools>`;
const find = (body: string): string =>
  `<tools><edit><file src="a"><find>${body}</find><replace></replace></file></edit></tools>`;

/** Text that makes a careless parser look twice at everything. With quadratic cost these take minutes, not moments. */
const hostile: Record<string, string> = {
  "closing tags": command(fill("</command> x ")),
  "closing tags on lines": command(fill("</command>\nx\n")),
  "near closing tags": command(fill("</comman")),
  "closing tags that never end": command(fill("</command     ")),
  "near opening tags": command(fill("<comand>")),
  "near tags of many kinds": find(Array.from({ length: 6000 }, (_, index) => `<find${index}></fin${index}>`).join("")),
  "tags in pairs that don't balance": find(fill("<find></replace>")),
  "tags that nest": find(fill("<find>") + fill("</find>")),
  "closing tags without their brackets": find(fill("[/find] /find> ")),
  "quotes that stay open": command(fill("'</command>\"")),
  "quotes in quotes": command(`echo ${fill('"$(')}</command> x`),
  "heredocs that stay open": command(fill("<<A\n</command> x\n")),
  "heredocs of many names": command(
    `${Array.from({ length: 6000 }, (_, index) => `cat <<E${index}`).join("\n")}</command> x`,
  ),
  "comments on one line": find(`${fill("<!--")}<find>\n-->`),
  "CDATA that never ends": find(fill("<find><![CDATA[")),
  "opening tags": command(fill("<command>")),
  "opening tags on lines": `<tools>${fill("<command>a\n")}</tools>`,
  "opening tags without an end": `<tools>${fill("<command>a\n")}`,
  "calls that mention their tag": `<tools>${fill('<command>grep "<command>" f</command>\n')}</tools>`,
  "calls that print their end": `<tools>${fill('<command>echo "</command>" x</command>\n')}</tools>`,
  "text between calls": `<tools>${fill("<input>a</input> x ")}</tools>`,
  "less-than": command(fill("<")),
  "less-than between tags": `<tools>${fill("<")}</tools>`,
  "open CDATA": `<tools>${fill("<command><![CDATA[</command>\n")}</tools>`,
  "comments that never end": command(fill("</command><!--")),
  "comments that end late": command(`${fill("</command><!--")}-->`),
  "white space behind a closing tag": command(`a</command>${fill(" ")}x`),
  "a tag that never ends": `<tools><command ${fill(" ")}`,
  "many attributes": `<tools><command ${fill("a=b ")}>ls</command></tools>`,
  "a long attribute": `<tools><command a="${fill("x<'")}">ls</command></tools>`,
  "root tags": fill("<tools>"),
  "root tags on lines": fill("<tools>\n"),
  mentions: fill("the <tools> tag "),
  "root tags and white space": fill(`x <tools>${" ".repeat(150)}`),
  blocks: fill("<tools><ctrl>c</ctrl></tools>"),
  "open blocks": fill("<tools><ctrl>c</ctrl>\n"),
  entities: find(fill("&lt;")),
  ampersands: find(fill("&")),
  "blanks behind a line break": find(`a\n${fill(" ")}`),
  "unknown tags": `<tools>${fill("<foo>")}</tools>`,
  "nested elements": `<tools><search>${fill("<filter>")}</search></tools>`,
  "unbalanced elements": `<tools><search>${fill("<filter><filter></filter>")}</search></tools>`,
  "an envelope that never ends": `{"reply": ${fill('{"a":')}`,
  "no envelope": `{"reply": "${fill("abc ")}", "tools": 1}`,
  "an envelope of blocks": `{"tools": "${fill("<tools><ctrl>c</ctrl></tools>")}"}`,
  "closing tags behind a block": `<tools></tools>${fill("</command>")}`,
};

it.each(Object.entries(hostile))("%s: the same in any chunks, and no error", (_, text) => {
  const whole = readChunks([text]);
  expect(readChunks(cut(text, [1]))).toEqual(whole);
  expect(readChunks(cut(text, [8, 3]))).toEqual(whole);
});

it("holds a body of a million units", () => {
  const text = "if (a < b && c) { x = `</div>`; }\n".repeat(30_000);
  const { result } = readChunks(cut(`<tools><write_file path="a">\n${text}\n</write_file></tools>`, [4096]));
  expect(result.blocks[0]?.calls).toMatchObject([{ input: { text } }]);
});

it("reads a thousand blocks", () => {
  const { result } = readChunks([`Now:\n${"```xml\n<tools>\n<command>ls</command>\n</tools>\n```\n".repeat(1000)}`]);
  expect(result.blocks.filter(isRunnable)).toHaveLength(1000);
});
