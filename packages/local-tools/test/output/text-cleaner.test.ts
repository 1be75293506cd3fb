import { expect, it } from "vitest";
import { fullScreenNote, TextCleaner } from "../../src/output/text-cleaner.ts";

const ESC = "\u001b";
const CSI = `${ESC}[`;

/** The text, whole at once and unit by unit. */
function clean(text: string): string {
  const whole = new TextCleaner();
  const result = whole.push(text) + whole.end();
  const single = new TextCleaner();
  let bit = "";
  for (let at = 0; at < text.length; at++) bit += single.push(text[at] as string);
  expect(bit + single.end()).toBe(result);
  return result;
}

it.each([
  ["plain lines", "a\nb\n", "a\nb\n"],
  ["an unfinished line", "a\nb", "a\nb"],
  ["nothing", "", ""],
  ["CRLF", "a\r\nb\r\n", "a\nb\n"],
  ["CR CR LF", "a\r\r\nb\r\r\r\n", "a\nb\n"],
  ["empty lines", "\n\n\r\n", "\n\n\n"],
  ["tabs", "a\tb\t\n\tc", "a\tb\t\n\tc"],
  ["blanks at a line's end", "a  \r\nb \n", "a  \nb \n"],
  ["a lone half of a pair", "a\ud83d", "a\ud83d"],
  ["other languages", "grün 中文 😀\n", "grün 中文 😀\n"],
])("should keep %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it.each([
  ["colours", `${CSI}1;31mred${CSI}0m ${CSI}38;2;1;2;3mx${CSI}m`, "red x"],
  ["colours with colons", `${CSI}4:3mred${CSI}m`, "red"],
  ["intermediate and private bytes", `a${CSI}?25lb${CSI}>4;2mc${CSI}2 qd${CSI}!pe${CSI}?2004hf`, "abcdef"],
  ["8-bit CSI", "a\u009b31mb\u009bKc", "abc"],
  ["OSC with BEL", `${ESC}]0;title\u0007x`, "x"],
  ["OSC with ST", `${ESC}]8;;http://a${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
  ["8-bit OSC and ST", "\u009d0;title\u009cx", "x"],
  ["DCS, APC, PM, SOS", `1${ESC}P0;1|a\u0007b${ESC}\\2${ESC}_Gx${ESC}\\3${ESC}^y${ESC}\\4${ESC}Xz${ESC}\\5`, "12345"],
  ["8-bit DCS, APC, PM, SOS", "1\u0090a\u009c2\u009fb\u009c3\u009ec\u009c4\u0098d\u009c5", "12345"],
  ["a DCS over lines", `1${ESC}Pq"1;1\n#0~~\n${ESC}\\2`, "12"],
  ["charsets", `${ESC}(B${ESC})0a${ESC}%Gb${ESC}#8c`, "abc"],
  ["single sequences", `${ESC}=a${ESC}>b${ESC}Hc${ESC}Nd`, "abcd"],
  ["BEL, NUL, DEL and others", "a\u0007b\u0000c\u007fd\u000ee\u000ff\u0005g\u0086h", "abcdefgh"],
  ["an ESC before an ESC", `${ESC}${ESC}[1ma`, "a"],
])("should take out %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it.each([
  ["a CSI at the end", `a${CSI}12;`, "a"],
  ["an ESC at the end", `a${ESC}`, "a"],
  ["an OSC at its line's end", `${ESC}]0;never\r\nnext\n`, "\nnext\n"],
  ["an OSC at another sequence", `${ESC}]0;never${CSI}1mnext`, "next"],
  ["an OSC at CAN", `${ESC}]0;never\u0018next`, "next"],
  ["a CSI at a line end", `a${CSI}12\nb`, "a\nb"],
  ["a CSI at another character", `a${CSI}12éb`, "aéb"],
  ["an ESC at a line end", `a${ESC}\nb`, "a\nb"],
  ["a CSI that is too long", `${CSI}${"1".repeat(256)}2m`, "2m"],
  ["a DCS that is too long", `${ESC}P${"x".repeat(65_536)}y`, "y"],
  ["intermediates without end", `${ESC}${" ".repeat(16)}  a`, "  a"],
])("should give up on %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it.each([
  ["overwrite from the first column", "abc\rX\n", "Xbc\n"],
  ["keep the last state of progress", " 10%\r 50%\r100%\ndone", "100%\ndone"],
  ["overwrite without a line end", "abc\rX", "Xbc"],
  ["leave out blanks that wiped", "Downloading 50%\r               \rDone\n", "Done\n"],
  ["go back one column", "abc\b\bX\n", "aXc\n"],
  ["wipe one character", "abc\b \b\n", "ab\n"],
  ["stop at the first column", "\b\ba\b\b\bX\n", "X\n"],
  ["erase to the end", `abcdef\rxy${CSI}K\n`, "xy\n"],
  ["erase to the beginning", `abcdef${CSI}3D${CSI}1K\n`, "    ef\n"],
  ["erase the line", `abcdef${CSI}2K\rx\n`, "x\n"],
  ["erase the line and stay", `abc${CSI}2Kd\n`, "   d\n"],
  ["move left and right", `abcdef${CSI}4DX${CSI}CY\n`, "abXdYf\n"],
  ["move to a column", `abcdef${CSI}2GX${CSI}GY\n`, "YXcdef\n"],
  ["move beyond the end", `ab${CSI}3Cc\n`, "ab   c\n"],
  ["move no further than the screen", `${CSI}999Cx\n`, `${" ".repeat(199)}x\n`],
  ["not print what is only moved over", `ab${CSI}30C\n`, "ab\n"],
  ["take out, put in and blank characters", `abcdef\r${CSI}2P${CSI}@${CSI}3G${CSI}2X\n`, " c  f\n"],
  ["draw over what was struck", "a\ba _\bb\n", "a b\n"],
])("should %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it.each([
  ["a pair", "😀😀\rab\n", "ab😀\n"],
  ["half a wide character", "中文\ra\n", "a 文\n"],
  ["its right half", `中文\r${CSI}Ca\n`, " a文\n"],
  ["a combined character", "e\u0301x\ro\n", "ox\n"],
  ["beside a combined character", `e\u0301x\r${CSI}Co\n`, "e\u0301o\n"],
  ["joined pictures", "👩\u200d🚀!\r", "👩\u200d🚀!"],
  ["a combining mark", "abc\rx\u0301\n", "x\u0301bc\n"],
  ["part of a tab", "a\tb\rcdef\n", "cdef    b\n"],
  ["beyond a tab", `a\tb\r${CSI}8CX\n`, "a\tX\n"],
  ["by a tab", "abc\r\tX\n", "abc     X\n"],
])("should count columns when overwriting %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it.each([
  [
    "keep the last state of lines painted over",
    `a: 1\r\nb: 1\r\n${CSI}2Aa: 2\r\nb: 2\r\ndone\r\n`,
    "a: 2\nb: 2\ndone\n",
  ],
  ["go up, erase, write and go down", `a: 1\r\nb: 1\r\n${CSI}2A${CSI}2K\ra: 22\r${CSI}2B.\r\n`, "a: 22\nb: 1\n.\n"],
  ["go up by ESC M, and begin lines by E and F", `a\nb\n${ESC}Mc${CSI}Fd${CSI}Ee\n`, "d\ne\n"],
  ["erase all below", `one\ntwo\nthree\n${CSI}3A${CSI}Jdone\n`, "done\n"],
  ["erase all below from inside a line", `one\ntwo\nthree${CSI}2A${CSI}D${CSI}J\n`, "one\n"],
  ["forget lines that were wiped", `x\none\ntwo\n${CSI}1A${CSI}2K${CSI}1A${CSI}2K`, "x\n"],
  ["go back to a saved place", `${ESC}7one\ntwo\n${ESC}8ONE`, "ONE\ntwo\n"],
  ["go back down to a saved place", `one\ntwo\n${CSI}s${CSI}2A1${CSI}u3\n`, "1ne\ntwo\n3\n"],
  ["keep what was cleared", `one\r\ntwo${CSI}H${CSI}2Jthree\r\n`, "one\ntwo\nthree\n"],
  ["keep what was reset", `one\r\ntwo${ESC}cthree\r\n`, "one\ntwo\nthree\n"],
  ["paint the same screen again", `x\n${CSI}2J${CSI}Ha\nb\n${CSI}Hc\nd\n${CSI}2;2He\n`, "x\nc\nde\n"],
  ["not go up beyond a cleared screen", `x\n${CSI}2J${CSI}9Ay\n`, "x\ny\n"],
])("should %s", (_name, text, expected) => {
  expect(clean(text)).toBe(expected);
});

it("should not change what is above the last 50 lines", () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n}\n`).join("");
  const cleaner = new TextCleaner();
  const text = cleaner.push(`${lines}${CSI}99AX`) + cleaner.end();
  expect(text).toBe(lines.replace("line 11\n", "Xine 11\n"));
});

it("should leave the alternate screen out and say so", () => {
  const note = `${fullScreenNote}\n`;
  expect(clean(`a\n${CSI}?1049h${CSI}Hvim\r\n~${CSI}?1049lb\n`)).toBe(`a\n${note}b\n`);
  expect(clean(`a${CSI}?47hless${CSI}?47lb\n`)).toBe(`a\n${note}b\n`);
  expect(clean(`a\n${CSI}?1049hvim`)).toBe(`a\n${note}`);
  expect(clean(`a\n${CSI}?1;1047hvim${ESC}cb`)).toBe(`a\n${note}b`);
});

it("should give the unfinished line as it is shown", () => {
  const cleaner = new TextCleaner();
  cleaner.push("one\nName: ");
  expect(cleaner.pendingLine).toBe("Name: ");
  cleaner.push("x\b\r");
  expect(cleaner.pendingLine).toBe("Name: x");
  cleaner.push(`${CSI}2K`);
  expect(cleaner.pendingLine).toBe("");
});

it("should give only news after what was taken", () => {
  const cleaner = new TextCleaner();
  expect(cleaner.push("one\nName: ") + cleaner.take()).toBe("one\nName: ");
  expect(cleaner.push("") + cleaner.take()).toBe("");
  expect(cleaner.push("Bob\r\n") + cleaner.take()).toBe("Bob\n");
  expect(cleaner.push(`a: 1\nb: 1\n 10%`) + cleaner.take()).toBe("a: 1\nb: 1\n 10%");
  expect(cleaner.push(`\r 20%`) + cleaner.take()).toBe(" 20%");
  expect(cleaner.push(`${CSI}1A\rb: 2${CSI}1B\r\nc`) + cleaner.take()).toBe("b: 2\n\nc");
  expect(cleaner.push("") + cleaner.end()).toBe("");
});
