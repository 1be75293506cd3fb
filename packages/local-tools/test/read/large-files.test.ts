import { open as openFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { scanLines } from "../../src/files/scan-lines.ts";
import { openedFile } from "../support/scratch.ts";
import { open, readerOf, refusal } from "./support.ts";

const line = `${"0123456789".repeat(9)}123456789\n`;
const perMegabyte = 10_000;

/** A file of so many million bytes, 10,000 lines each. */
async function bigFile(path: string, megabytes: number): Promise<void> {
  const file = await openFile(path, "w");
  const megabyte = Buffer.from(line.repeat(perMegabyte));
  for (let done = 0; done < megabytes; done++) await file.write(megabyte);
  await file.close();
}

it("100 MB are read by range, and never held", { timeout: 60_000 }, async () => {
  const { reader, scratch } = await readerOf();
  await bigFile(scratch.at("big.log"), 100);
  const part = await reader.read({ src: "big.log", from: 900_000, to: 900_002 }, open);
  expect(part).toMatchObject({ head: "big.log: lines 900,000–900,002 of a file of 100 MB", cut: false });
  expect(part.text).toBe(line.repeat(3));
  expect((await reader.read({ src: "big.log" }, open)).head).toBe(
    "big.log: lines 1–400 of a file of 100 MB; read on from 401",
  );
  expect(await refusal(reader.read({ src: "big.log", from: 1_000_001 }, open))).toMatchObject({
    type: "InvalidRange",
    message: "big.log has 1,000,000 lines; there is no line 1,000,001.",
  });
  expect(await refusal(reader.read({ src: "big.log", from: 3, to: 2 }, open))).toMatchObject({
    message: "big.log: line 3 comes after line 2; the file has 100 MB.",
  });
  const last = await reader.read({ src: "big.log", from: 1_000_000 }, open);
  expect(last.head).toBe("big.log: line 1,000,000 of 1,000,000");
  expect((await reader.search({ pattern: "9012" })).head).toBe(
    '"9012": nothing found in 0 of 1 file; 1 file of more than 33.6 MB left out; name one to search it',
  );
});

it("no more is read than is wanted, unless counting the lines is cheap", async () => {
  const { scratch, roots } = await readerOf();
  await bigFile(scratch.at("big.log"), 4);
  const read = async (maxBytes: number): Promise<number> => {
    const file = await openedFile(roots, "big.log");
    const reads = vi.spyOn(file.handle, "read");
    await scanLines(file, { from: 1, to: 3, maxChars: 1000, maxLine: 1000, maxBytes, called: "big.log" });
    await file.close();
    return reads.mock.calls.length;
  };
  expect(await read(1_000_000)).toBe(1);
  expect(await read(4_000_000)).toBeGreaterThan(10);
});

it("one line of 20 MB is shortened, and lines after it are found", async () => {
  const { reader, scratch } = await readerOf();
  await scratch.write("one.json", `${"x".repeat(20_000_000)}\nsecond\n`);
  const part = await reader.read({ src: "one.json" }, open);
  expect(part.head).toBe("one.json: 2 lines; too long, cut: line 1");
  expect(part.text).toBe(`${"x".repeat(5000)}… (line cut; it has 20,000,000 bytes)\nsecond\n`);
});

it("reading stops when it is told to", async () => {
  const { reader, scratch } = await readerOf();
  await bigFile(scratch.at("big.log"), 4);
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(reader.read({ src: "big.log" }, { ...open, signal })).rejects.toThrow("enough");
});
