import { leftToCi } from "@toolglot/internal/testing";
import chardet from "chardet";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { provideCodecs } from "../../src/encodings/codecs.ts";
import { spellings } from "../../src/encodings/spellings.ts";
import { patience, readerOf } from "../read/support.ts";
import { allSamples, samples } from "./samples.ts";

describe("a search in files of other encodings", () => {
  it("finds what is not ASCII, and what is, and shows the lines as they read", async () => {
    const files = Object.fromEntries(allSamples.map(({ bytes }, n) => [`f${String(n).padStart(2, "0")}.txt`, bytes]));
    const { reader } = await readerOf(files, { patience });
    const all = Object.keys(files);
    for (const [pattern, line] of [
      ["total = 1", 1],
      ["^const t.tal", 1],
      [undefined, 0],
    ] as const) {
      for (const [at, { text }] of allSamples.entries()) {
        const row = text.split(/\r?\n/)[line] as string;
        const { text: found, complete } = await reader.search({
          pattern: pattern ?? row.slice(0, 12),
          src: all[at] as string,
        });
        expect(found).toBe(`${all[at]}:${line + 1}: ${row}\n`);
        expect(complete).toBe(true);
      }
    }
    const chinese = await reader.search({ pattern: "世界" });
    expect(chinese.text.split("\n").length - 1).toBe(allSamples.filter(({ text }) => text.includes("世界")).length);
    expect(chinese).toMatchObject({ complete: true, looked: all.length, left: [] });
    expect(chinese.text).not.toContain("\ufffd");
    const absent = await reader.search({ pattern: "这里没有的" });
    expect(absent.head).toBe(`"这里没有的": no match in ${all.length} files`);
  });

  it("says when a guess may hide what is sought", async () => {
    const { reader } = await readerOf({
      "a.txt": Buffer.from("gr\xfcn\n", "latin1"),
      "b.txt": iconv.encode("中文\n", "euc-kr"),
    });
    expect(await reader.search({ pattern: "中文" })).toMatchObject({
      complete: false,
      left: [{ reason: "encoding", count: 2 }],
    });
    expect(await reader.search({ pattern: "grün" })).toMatchObject({
      head: '"grün": 1 match in 1 file; 1 file in no encoding that is known for certain, searched as far as it can be read; 1 file read in a guessed encoding',
      text: "a.txt:1: grün\n",
    });
    // ASCII is ASCII in all of them.
    expect(await reader.search({ pattern: "green" })).toMatchObject({ head: '"green": no match in 2 files' });
  });

  it("takes what .editorconfig declares", async () => {
    const { reader } = await readerOf({
      ".editorconfig": "[*.txt]\ncharset = big5\n",
      "a.txt": iconv.encode("中文\n", "big5"),
    });
    expect(await reader.search({ pattern: "中文" })).toMatchObject({ text: "a.txt:1: 中文\n", complete: true });
  });

  it("finds what is not ASCII in many files, in whichever encoding and spelling", async () => {
    const sample = (text: string, encoding: string): Buffer => iconv.encode(`${text}\n`.repeat(3), encoding);
    const files: Record<string, Buffer> = {};
    for (let n = 0; n < 60; n++) files[`a${n}.txt`] = sample("这是一个我们的中文，计算所有订单的总数", "gbk");
    files["gbk.txt"] = sample("这是一个我们的中文，计算所有发票的总数，你好", "gbk");
    files["big5.txt"] = sample("這是一個我們的中文，計算所有发票的總數，发票".replaceAll("发", "發"), "big5");
    // An encoder writes this one as 81 e0.
    const other = Buffer.concat([
      sample("これはわたしたちの日本語のテキストです。", "shift_jis"),
      Buffer.from("x\x87\x90y\n", "latin1"),
    ]);
    files["other.txt"] = other;
    const { reader } = await readerOf(files, { patience });
    const found = async (pattern: string): Promise<string[]> => {
      const { text, complete } = await reader.search({ pattern });
      return [`${complete}`, ...text.split("\n").flatMap((line) => /^\w+\.txt:\d+/.exec(line) ?? [])];
    };
    expect(await found("发票的总数")).toEqual(["true", "gbk.txt:1", "gbk.txt:2", "gbk.txt:3"]);
    expect(await found("發票的總數")).toEqual(["true", "big5.txt:1", "big5.txt:2", "big5.txt:3"]);
    expect(await found("x≒y")).toEqual(["true", "other.txt:4"]);
    expect(await found("没有这些")).toEqual(["true"]);
  });

  it("knows the ways of an encoding to write a character, which an encoder may not take", () => {
    provideCodecs(() => ({ iconv, chardet }));
    const wide = ["gb18030", "Big5", "Shift_JIS", "EUC-JP", "EUC-KR"];
    for (const codec of [...wide, "windows-1251", "ISO-8859-15", "KOI8-R", "IBM866"]) {
      const written = [0x81, 0x87, 0xa2, 0xc8, 0xed].flatMap((lead) => {
        const bytes = Buffer.from(wide.includes(codec) ? [lead, 0xa1] : [lead]);
        const char = iconv.decode(bytes, codec);
        return char.length === 1 && /[\p{L}\p{N}\p{S}]/u.test(char) && char !== "\ufffd" ? [{ char, bytes }] : [];
      });
      expect(written.length, codec).toBeGreaterThan(1);
      const ways = spellings(written.map(({ char }) => char).join(""));
      expect(ways, codec).toContainEqual(Buffer.concat(written.map(({ bytes }) => bytes)));
    }
  });

  it("reads large files in pieces that end within characters", async (context) => {
    leftToCi(context);
    for (const { name, text, bytes } of samples) {
      const [first = "", second] = text.split("\n");
      // Lines of an odd number of bytes, so that pieces of 1 MiB end anywhere.
      const width = name.startsWith("UTF-16") ? "x\0" : "x";
      const body = bytes.subarray(bytes[0] === 0xff || bytes[0] === 0xfe ? 2 : 0);
      const count = Math.ceil(2_300_000 / bytes.length);
      const parts = Array.from({ length: count }, () => body);
      const { reader, scratch } = await readerOf({}, { patience });
      const mark = bytes.subarray(0, bytes.length - body.length);
      await scratch.write(
        "big.txt",
        Buffer.concat([mark, ...parts, name === "UTF-16BE" ? Buffer.alloc(0) : Buffer.from(width)]),
      );
      const found = await reader.search({ pattern: first.slice(0, 15), src: "big.txt" });
      expect(found.head, name).toContain(`${count.toLocaleString("en-US")} matches in 1 file`);
      const expression = await reader.search({ pattern: `^${(second as string).slice(0, 5)}.*`, src: "big.txt" });
      expect(expression.head, name).toContain(`${count.toLocaleString("en-US")} matches in 1 file`);
      expect(expression.text).not.toContain("\ufffd");
    }
  });

  it("finds in a large file what is not UTF-8 only far behind its beginning", async () => {
    const line = `${"a line of a log ".repeat(20)}\n`;
    const { reader, scratch } = await readerOf({}, { patience });
    const end = iconv.encode("NEEDLE 这是一个我们的中文，你好，世界，计算所有订单的总数\n", "gbk");
    await scratch.write("big.log", Buffer.concat([Buffer.from(line.repeat(5000)), end]));
    for (const pattern of ["NEEDLE", "世界", "^NEEDLE 这.*总数$"]) {
      const part = await reader.search({ pattern, src: "big.log" });
      expect(part.text).toBe("big.log:5001: NEEDLE 这是一个我们的中文，你好，世界，计算所有订单的总数\n");
    }
  });
});
