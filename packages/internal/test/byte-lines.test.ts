import { expect, it } from "vitest";
import { ByteLines } from "../src/byte-lines.ts";

function read(pieces: readonly string[], maxBytes = 5): string[] {
  const found: string[] = [];
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const lines = new ByteLines(maxBytes, {
    line: (bytes) => found.push(text(bytes)),
    tooLong: (beginning) => found.push(`too long: ${text(beginning)}`),
  });
  for (const piece of pieces) lines.push(new TextEncoder().encode(piece));
  lines.end();
  return found;
}

it("cuts bytes into lines, wherever they come apart", () => {
  const text = "ab\r\n\n\r\nü\n12345\n12345\r\n123456\n1234567890123\nlast";
  const lines = ["ab", "ü", "12345", "12345", "too long: 123456", "too long: 123456", "last"];
  expect(read([text])).toEqual(lines);
  expect(read([...text])).toEqual(lines);
  for (let at = 1; at < text.length; at++) expect(read([text.slice(0, at), text.slice(at)])).toEqual(lines);
});

it("tells of empty lines, so that lines can be counted", () => {
  let blank = 0;
  const lines = new ByteLines(5, { line: () => undefined, tooLong: () => undefined, blank: () => blank++ });
  for (const byte of new TextEncoder().encode("\n\r\na\n\nb")) lines.push(Uint8Array.of(byte));
  lines.end();
  expect(blank).toBe(3);
});
