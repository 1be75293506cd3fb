import { StringDecoder } from "node:string_decoder";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";

const numRuns = rounds(5_000, 200_000);
const whatwg = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

function decode(bytes: Uint8Array, size: number): string {
  const decoder = new StringDecoder("utf8");
  let text = "";
  for (let at = 0; at < bytes.length; at += size) text += decoder.write(bytes.subarray(at, at + size));
  return text + decoder.end();
}

it("should give the characters that are whole, and hold back the rest", () => {
  const decoder = new StringDecoder("utf8");
  const bytes = Buffer.from("é😀");
  expect([...bytes].map((byte) => decoder.write(Uint8Array.of(byte)))).toEqual(["", "é", "", "", "", "😀"]);
  expect(decoder.write(bytes.subarray(2, 5)) + decoder.end()).toBe("\ufffd");
  expect(decoder.end()).toBe("");
});

it("should keep a byte order mark, and copy what it holds back", () => {
  const decoder = new StringDecoder("utf8");
  expect(decoder.write(Buffer.from("\ufeffa"))).toBe("\ufeffa");
  const bytes = Buffer.from([0xc3]);
  expect(decoder.write(bytes)).toBe("");
  bytes[0] = 0x41;
  expect(decoder.write(Buffer.from([0xa9]))).toBe("é");
});

it("should decode as the Encoding Standard says, in any chunking", () => {
  // Bytes that begin, continue and break characters are what goes wrong.
  const byte = fc.oneof(
    fc.constantFrom(
      0x41,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xe1,
      0xed,
      0xef,
      0xf0,
      0xf1,
    ),
    fc.constantFrom(0xf4, 0xf5, 0xff),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 30 }), fc.integer({ min: 1, max: 8 }), (list, size) => {
      const bytes = Uint8Array.from(list);
      expect(decode(bytes, size)).toBe(whatwg(bytes));
    }),
    { numRuns },
  );
});
