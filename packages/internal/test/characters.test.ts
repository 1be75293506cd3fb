import { describe, expect, it } from "vitest";
import { isDressed, isInvisible, isLineSpace, isUnseen } from "../src/characters.ts";
import { flat } from "../src/lean.ts";

const units = Array.from({ length: 0x10000 }, (_, code) => code);

describe("classes of characters are those of Unicode", () => {
  it("white space within a line: all but the line feed", () => {
    expect(units.filter((code) => isLineSpace(code))).toEqual(
      units.filter((code) => code !== 10 && /\s/.test(String.fromCharCode(code))),
    );
  });

  it("invisible: marks of format and fillers that are ignorable, but not what changes the character before", () => {
    expect(units.filter((code) => isInvisible(code))).toEqual(
      units.filter((code) =>
        /(?=\p{Default_Ignorable_Code_Point})(?!\p{Bidi_Control})[\p{Cf}\p{Lo}]/u.test(String.fromCharCode(code)),
      ),
    );
    expect([..."\ufe0f\u0301\u180b"].some((sign) => isInvisible(sign.charCodeAt(0)))).toBe(false);
  });

  it("what a reader sees nothing of", () => {
    for (const text of ["", " ", "\u3000\t", "\u200b\r\n", "\ufeff\u00a0\u2060"]) expect(isUnseen(text)).toBe(true);
    for (const text of ["a", " . ", "\u200b-", "❤️"]) expect(isUnseen(text)).toBe(false);
  });
});

describe("a value of one line is dressed", () => {
  it.each([
    '"a"', "'a b'", "“a”", "„a“", "«a»", "»a«", "「a」", "『a』", "‹a›", "＂a＂", "`a.txt`", "```a```", "**a.txt**", "*a*",
    "_a.txt_", "~~a~~", "＊a＊", '""', "\u200ba", "a\u2060", "\ufeffa", "\u3000a", "a ", `"it's"`,
  ])("%s", (text) => expect(isDressed(text)).toBe(true)); // biome-ignore format: one list

  it.each([
    "", '"', "a", "a 'b'", "'a' + 'b'", "“a” and “b”", "**a** and **b**", "**/*", "* a *", "__init__", "_x_", "`a", "'a\"", "《红楼梦》",
    "[a]", "❤️", "-a-", "»»", "\u202eabc\u202c x",
  ])("not %s", (text) => expect(isDressed(text)).toBe(false)); // biome-ignore format: one list
});

it("a text in one piece is the same text", () => {
  for (const text of ["", "\n", " a\nb", "\ud800", "\0", "long ".repeat(1000)]) expect(flat(text)).toBe(text);
});
