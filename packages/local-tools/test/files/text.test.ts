import { appendFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Roots } from "../../src/files/roots.ts";
import { decodeText, encodeText, readWhole } from "../../src/files/text.ts";
import { openedFile, scratchFolder } from "../support/scratch.ts";

const refusal = (type: string, message?: RegExp): object =>
  expect.objectContaining({
    data: expect.objectContaining({ type }),
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });

it("takes the byte order mark off and says so", () => {
  const bytes = Buffer.from("\ufeffa\r\n");
  expect(decodeText(bytes, "a")).toEqual({ bytes, text: "a\r\n", bom: true });
  expect(decodeText(Buffer.from("\ufeff\ufeffa"), "a").text).toBe("\ufeffa");
  expect(decodeText(new Uint8Array(), "a")).toMatchObject({ text: "", bom: false });
});

it("gives back every text byte for byte", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, bom) => {
      fc.pre(!text.includes("\0") && !text.startsWith("\ufeff"));
      const bytes = encodeText(text, bom);
      const read = decodeText(bytes, "a");
      expect(read).toMatchObject({ text, bom });
      expect(Buffer.from(encodeText(read.text, read.bom)).equals(bytes)).toBe(true);
    }),
  );
});

it.each([
  ["Latin-1", Buffer.from("eins\nzwei\ngrün\n", "latin1"), "NotText", /^a\.txt is not UTF-8 \(line 3\)/],
  ["a cut character", Buffer.from("grün").subarray(0, 3), "NotText", /line 1/],
  ["a surrogate as bytes", Buffer.from([0xed, 0xa0, 0x80]), "NotText", /line 1/],
  ["UTF-16, little endian", Buffer.from("\ufeffabc", "utf16le"), "NotText", /UTF-16/],
  ["UTF-16, big endian", Buffer.from("\ufeffabc", "utf16le").swap16(), "NotText", /UTF-16/],
  ["UTF-16 without a mark", Buffer.from("abc", "utf16le"), "BinaryFile", /binary/],
  ["a NUL byte", Buffer.from("abc\0def"), "BinaryFile", /binary/],
])("refuses %s", (_, bytes, type, message) => {
  expect(() => decodeText(bytes, "a.txt")).toThrow(refusal(type, message) as Error);
});

it("reads a file up to its limit", async () => {
  const folder = await scratchFolder({ "a.txt": "12345", "b.txt": "123456", empty: "" });
  const roots = await Roots.open([folder.path]);
  const read = async (name: string): Promise<string> => {
    const file = await openedFile(roots, name);
    try {
      return decodeText(await readWhole(file, name, 5), name).text;
    } finally {
      await file.close();
    }
  };
  expect([await read("a.txt"), await read("empty")]).toEqual(["12345", ""]);
  await expect(read("b.txt")).rejects.toEqual(refusal("TooLarge", /b\.txt has 6 bytes; files up to 5 can be read/));
});

it("stops at the limit of a file that grows", async () => {
  const folder = await scratchFolder({ "a.txt": "1" });
  const roots = await Roots.open([folder.path]);
  const file = await openedFile(roots, "a.txt");
  try {
    await appendFile(folder.at("a.txt"), "2".repeat(100_000));
    await expect(readWhole(file, "a.txt", 50_000)).rejects.toEqual(refusal("TooLarge"));
    expect(await readWhole(file, "a.txt", 200_000)).toHaveLength(100_001);
  } finally {
    await file.close();
  }
});
