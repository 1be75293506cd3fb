import { expect, it } from "vitest";
import { MarkScanner, type Piece } from "../../src/output/mark-scanner.ts";

const ESC = "\u001b";
const BEL = "\u0007";
const nonce = "n0nce";

/** The pieces with neighbouring text joined, whole at once and unit by unit. */
function scan(text: string): Piece[] {
  const whole = pieces(text, text.length);
  expect(pieces(text, 1)).toEqual(whole);
  return whole;
}

function pieces(text: string, size: number): Piece[] {
  const scanner = new MarkScanner(nonce);
  const found: Piece[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...scanner.push(text.slice(at, at + size)));
  found.push(...scanner.end());
  const joined: Piece[] = [];
  for (const piece of found) {
    const last = joined.at(-1);
    if (piece.type === "text" && last?.type === "text") last.text += piece.text;
    else joined.push({ ...piece });
  }
  return joined;
}

const text = (value: string): Piece => ({ type: "text", text: value });
const mark = (kind: string, ...fields: string[]): Piece => ({ type: "mark", kind, fields });

it.each([
  ["ended by BEL", `a${ESC}]633;D;${nonce};0;/tmp${BEL}b`, [text("a"), mark("D", "0", "/tmp"), text("b")]],
  ["ended by ST", `${ESC}]633;D;${nonce};0${ESC}\\b`, [mark("D", "0"), text("b")]],
  ["without fields", `${ESC}]633;A;${nonce}${BEL}${ESC}]633;B;${nonce}${ESC}\\`, [mark("A"), mark("B")]],
  [
    "with empty fields",
    `${ESC}]633;A;${nonce};${BEL}${ESC}]633;B;${nonce};;${BEL}`,
    [mark("A", ""), mark("B", "", "")],
  ],
  ["with a long kind", `${ESC}]633;prompt-end_2;${nonce}${BEL}`, [mark("prompt-end_2")]],
  [
    "inside another sequence",
    `${ESC}]0;title${ESC}]633;D;${nonce}${BEL}x`,
    [text(`${ESC}]0;title`), mark("D"), text("x")],
  ],
  ["after a broken one", `${ESC}]633;D;n0${ESC}]633;E;${nonce}${BEL}`, [text(`${ESC}]633;D;n0`), mark("E")]],
  [
    "in place of another's end",
    `${ESC}]633;D;${nonce};1${ESC}${ESC}]633;E;${nonce}${BEL}`,
    [text(`${ESC}]633;D;${nonce};1${ESC}`), mark("E")],
  ],
  ["between surrogate pairs", `😀${ESC}]633;D;${nonce};😀${BEL}😀`, [text("😀"), mark("D", "😀"), text("😀")]],
])("should find a mark %s", (_name, input, expected) => {
  expect(scan(input)).toEqual(expected);
});

it.each([
  ["another nonce", `${ESC}]633;D;other;0${BEL}`],
  ["a longer nonce", `${ESC}]633;D;${nonce}x;0${BEL}`],
  ["a shorter nonce", `${ESC}]633;D;n0nc;0${BEL}`],
  ["no nonce", `${ESC}]633;D;0${BEL}`],
  ["no kind", `${ESC}]633;;${nonce}${BEL}`],
  ["only a kind", `${ESC}]633;D${BEL}`],
  ["a kind that is none", `${ESC}]633;D D;${nonce}${BEL}`],
  ["a kind too long", `${ESC}]633;${"D".repeat(33)};${nonce}${BEL}`],
  ["another number", `${ESC}]1337;D;${nonce}${BEL}${ESC}]6330;D;${nonce}${BEL}`],
  ["no end", `${ESC}]633;D;${nonce};0`],
  ["half an end", `${ESC}]633;D;${nonce};0${ESC}`],
  ["half a beginning", `a${ESC}]63`],
  ["an ESC", ESC],
])("should leave %s as text", (_name, input) => {
  expect(scan(input)).toEqual([text(input)]);
});

it("should take a mark of 4,096 units and leave one more as text", () => {
  const start = `${ESC}]633;D;${nonce};`;
  const fits = "x".repeat(4096 - start.length - 1);
  expect(scan(`${start}${fits}${BEL}`)).toEqual([mark("D", fits)]);
  expect(scan(`${start}${fits.slice(1)}${ESC}\\`)).toEqual([mark("D", fits.slice(1))]);
  expect(scan(`${start}${fits}x${BEL}b`)).toEqual([text(`${start}${fits}x${BEL}b`)]);
  expect(scan(`${start}${fits}${ESC}\\b`)).toEqual([text(`${start}${fits}${ESC}\\b`)]);
  expect(scan(`${start}${fits}${ESC}]633;D;${nonce}${BEL}`)).toEqual([text(start + fits), mark("D")]);
});

it("should hold back no more than a mark may be long", () => {
  const scanner = new MarkScanner(nonce);
  let given = 0;
  const push = (chunk: string) => {
    for (const piece of scanner.push(chunk)) given += piece.type === "text" ? piece.text.length : 0;
  };
  push(`${ESC}]633;D;${nonce};`);
  let written = `${ESC}]633;D;${nonce};`.length;
  for (let n = 0; n < 1000; n++) {
    push("x".repeat(100));
    written += 100;
    expect(written - given).toBeLessThanOrEqual(4096);
  }
});

it.each([
  ["a beginning", `${ESC}]633;`],
  ["a foreign mark", `${ESC}]633;D;${nonce}x;0${BEL}`],
  ["an unfinished mark", `${ESC}]633;D;${nonce};`],
  ["an ESC", ESC],
])("should come through a million times %s", (_name, bit) => {
  const count = Math.ceil(1_000_000 / bit.length);
  const input = bit.repeat(count);
  const scanner = new MarkScanner(nonce);
  const found = [...scanner.push(input), ...scanner.push(`${ESC}]633;D;${nonce}${BEL}`), ...scanner.end()];
  expect(found.at(-1)).toEqual(mark("D"));
  const all = found.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
  expect(all).toBe(input);
});

it("should be usable again after its end", () => {
  const scanner = new MarkScanner(nonce);
  expect(scanner.push(`${ESC}]633;D;${nonce}`)).toEqual([]);
  expect(scanner.end()).toEqual([text(`${ESC}]633;D;${nonce}`)]);
  expect(scanner.push(`${BEL}a`)).toEqual([text(`${BEL}a`)]);
  expect(scanner.end()).toEqual([]);
});
