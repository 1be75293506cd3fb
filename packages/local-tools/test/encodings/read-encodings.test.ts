import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { encodingSettings } from "../../src/encodings/detect.ts";
import { encodingNamed } from "../../src/encodings/encodings.ts";
import { FileEncodings } from "../../src/encodings/file-encodings.ts";
import { isChineseLocale, isChineseProject } from "../../src/encodings/likely-encodings.ts";
import type { ReadPart } from "../../src/read/types.ts";
import { open, readerOf, refusal } from "../read/support.ts";
import { scratchFolder } from "../support/scratch.ts";
import { allSamples } from "./samples.ts";

/** What is read of a file of these bytes. */
async function read(
  bytes: Buffer,
  asked: { encoding?: string; from?: number; to?: number } = {},
  files: Record<string, string | Buffer> = {},
): Promise<ReadPart> {
  const { reader } = await readerOf({ ...files, "a.txt": bytes });
  return reader.read({ src: "a.txt", ...asked }, open);
}

describe("a file in another encoding is read", () => {
  it.each(allSamples.map((one) => [one.name, one] as const))("%s", async (name, { text, bytes }) => {
    const part = await read(bytes);
    expect(part).toMatchObject({ text: text.replaceAll("\r\n", "\n"), encoding: name });
    expect(part.head).toMatch(new RegExp(`^a\\.txt: \\d lines, ${name}(;|$)`));
    const [, second] = text.split("\r\n").join("\n").split("\n");
    const line = await read(bytes, { from: 2, to: 2 });
    expect(line).toMatchObject({ text: `${second}\n`, encoding: name });
    expect(line.head).toContain(`line 2 of ${text.split("\n").length - 1}, ${name}`);
  });

  it("UTF-8 is not named, with or without its mark", async () => {
    for (const mark of ["", "\ufeff"]) {
      const part = await read(Buffer.from(`${mark}grün\n`));
      expect(part.text).toBe("grün\n");
      expect(part.head).not.toContain("UTF");
      expect(part).not.toHaveProperty("encoding");
    }
  });

  it("what nothing vouches for is a guess, and said to be one", async () => {
    const part = await read(Buffer.from("eins\ngr\xfcn\n", "latin1"));
    expect(part).toMatchObject({
      head: "a.txt: 2 lines, windows-1252 (guessed)",
      text: "eins\ngrün\n",
      encoding: "windows-1252",
    });
  });

  it("as a long one, in pieces that end within characters", async () => {
    const text = `${"这是一个我们的中文".repeat(12_000)}\n`.repeat(4);
    for (const codec of ["gb18030", "utf-16le"]) {
      const { reader } = await readerOf(
        { "a.txt": Buffer.concat([Buffer.from(codec === "gb18030" ? "" : "fffe", "hex"), iconv.encode(text, codec)]) },
        { maxChars: 1_000_000 },
      );
      const part = await reader.read({ src: "a.txt", from: 4 }, open);
      expect(part.text).toMatch(/^(这是一个我们的中文){555}这是一个我… \(line cut; it has 324,000 bytes as UTF-8\)\n$/);
    }
  });
});

describe("the encoding that the call names", () => {
  it("goes before what is found out", async () => {
    const bytes = iconv.encode("中文\n", "big5");
    expect((await read(bytes, { encoding: "big5" })).text).toBe("中文\n");
    expect(await read(iconv.encode("привет мир\n", "koi8-r"), { encoding: "KOI8-R" })).toMatchObject({
      head: "a.txt: 1 line, KOI8-R",
      text: "привет мир\n",
    });
    // GBK and GB2312 are told as GBK.
    for (const encoding of ["gbk", "GB2312", "cp936"]) {
      const part = await read(iconv.encode("中文\n", "gbk"), { encoding });
      expect(part).toMatchObject({ head: "a.txt: 1 line, GBK", text: "中文\n" });
    }
  });

  it.each(["utf-16", "UTF-16LE", "utf-16be"])("%s leaves the order of its bytes to a mark", async (encoding) => {
    const bytes = Buffer.concat([Buffer.from("feff", "hex"), iconv.encode("中文\n", "utf-16be")]);
    expect(await read(bytes, { encoding })).toMatchObject({ text: "中文\n", encoding: "UTF-16BE" });
  });

  it("is refused where the bytes are of another one", async () => {
    const { reader } = await readerOf({ "a.txt": Buffer.from("one\ngr\xfc\n", "latin1"), "b.txt": "x\0\n" });
    expect(await refusal(reader.read({ src: "a.txt", encoding: "gbk" }, open))).toMatchObject({
      type: "NotText",
      message: "a.txt is not GBK (line 2): it can't be read as text.",
      line: 2,
      hint: expect.stringContaining("ISO-8859-1"),
    });
    expect(await refusal(reader.read({ src: "a.txt", encoding: "utf-8" }, open))).toMatchObject({ type: "NotText" });
    expect(await refusal(reader.read({ src: "b.txt", encoding: "gbk" }, open))).toMatchObject({ type: "BinaryFile" });
  });

  it.each([
    ["gbkk", "did you mean GBK?"],
    ["shiftjs", "did you mean Shift_JIS?"],
    ["windows-1253x", "did you mean windows-1253"],
    ["rot13", "are known"],
    ["", "are known"],
  ])("%s: an unknown one is refused with what it may mean", async (encoding, cure) => {
    const { reader } = await readerOf({ "a.txt": "x\n" });
    expect(await refusal(reader.read({ src: "a.txt", encoding }, open))).toMatchObject({
      type: "InvalidInput",
      message: expect.stringContaining(cure),
    });
  });

  it("every name leads to an encoding that the codec has", () => {
    for (const name of [
      "ISO-8859-16",
      "windows-874",
      "windows-1258",
      "KOI8-U",
      "IBM437",
      "IBM852",
      "macintosh",
      "EUC-KR",
    ]) {
      expect(iconv.encodingExists(encodingNamed(name)?.codec as string), name).toBe(true);
      expect(iconv.decode(Buffer.from("abc"), encodingNamed(name)?.codec as string), name).toBe("abc");
    }
  });
});

describe("what .editorconfig declares", () => {
  const bytes = Buffer.from("gr\xfc\xdfe\n", "latin1");

  it.each<[string, Record<string, string>, string | undefined]>([
    ["goes before guessing", { ".editorconfig": "root = true\n[*]\ncharset = latin1\n" }, "ISO-8859-1"],
    [
      "by the last section that fits",
      { ".editorconfig": "[*]\ncharset=latin1\n[*.{md,txt}]\ncharset=iso-8859-15\n" },
      "ISO-8859-15",
    ],
    ["not by other files' sections", { ".editorconfig": "[*.md]\ncharset=latin1\n[b.txt]\ncharset=latin1" }, undefined],
    ["wrongly: where the bytes are of another encoding", { ".editorconfig": "[*]\ncharset = utf-8\n" }, undefined],
    ["wrongly: as UTF-16 without a NUL", { ".editorconfig": "[*]\ncharset = utf-16le\n" }, undefined],
    ["as what nobody knows", { ".editorconfig": "[*]\ncharset = nonsense\n" }, undefined],
    ["in no form that can be read", { ".editorconfig": "[*\ncharset = latin1\n[\n=\n[{a,b]\ncharset" }, undefined],
  ])("%s", async (_, files, name) => {
    const part = await read(bytes, {}, files);
    expect(part.text).toBe("grüße\n");
    expect(part.head).toContain(name === undefined ? "windows-1252 (guessed)" : `, ${name}`);
    expect(part.head.includes("guessed")).toBe(name === undefined);
  });

  it("counts from its folder, up to one that is the root", async () => {
    const { reader } = await readerOf({
      ".editorconfig": "[*]\ncharset = latin1\n[src/*.c]\ncharset = windows-1251\n",
      "src/a.c": bytes,
      "src/deep/a.c": bytes,
      "other/.editorconfig": "root = true\n[*.c]\nindent_size = 2",
      "other/a.c": bytes,
    });
    const head = async (src: string): Promise<string> => (await reader.read({ src }, open)).head;
    expect(await head("src/a.c")).toBe("src/a.c: 1 line, windows-1251");
    expect(await head("src/deep/a.c")).toBe("src/deep/a.c: 1 line, ISO-8859-1");
    expect(await head("other/a.c")).toBe("other/a.c: 1 line, windows-1252 (guessed)");
  });

  it("spoils no file that is UTF-8", async () => {
    const part = await read(Buffer.from("grüße, 中文\n"), {}, { ".editorconfig": "[*]\ncharset = latin1\n" });
    expect(part).toMatchObject({ text: "grüße, 中文\n", head: "a.txt: 1 line" });
  });
});

describe("what is no text in a known encoding", () => {
  const { bytes: gbk } = allSamples.find(({ name }) => name === "GBK") as { bytes: Buffer };

  it.each<[string, Buffer, string]>([
    ["noise", Buffer.from(Array.from({ length: 2000 }, (_, n) => 1 + ((n * 7919) % 255))), "BinaryFile"],
    ["numbers of two bytes", Buffer.from(Uint16Array.from({ length: 500 }, (_, n) => n % 30).buffer), "BinaryFile"],
    ["NULs at even and odd places", Buffer.from("a\0b\0\0c\0d"), "BinaryFile"],
    ["few NULs", Buffer.from(`${"text ".repeat(100)}\0`), "BinaryFile"],
    ["UTF-16 with a NUL character", Buffer.from("\ufeffa\0b\n", "utf16le"), "BinaryFile"],
    ["UTF-16 with half a pair", Buffer.from("\ufeffa\ud800b\n", "utf16le"), "NotText"],
    ["UTF-16 cut within a character", Buffer.from("\ufeffabc", "utf16le").subarray(0, -1), "NotText"],
    ["a mark of UTF-8 before other bytes", Buffer.from("\xef\xbb\xbfgr\xfc\xfc\xe9n\n", "latin1"), "NotText"],
    ["GBK cut within a character", Buffer.concat([gbk.subarray(0, -1), Buffer.from([0xd6])]), "NotText"],
    ["GBK with a line of Latin-1", Buffer.concat([gbk, Buffer.from("gr\xfc\n", "latin1")]), "NotText"],
  ])("%s", async (_, bytes, type) => {
    const { reader } = await readerOf({ "a.txt": bytes });
    expect((await refusal(reader.read({ src: "a.txt" }, open))).type).toBe(type);
    expect((await refusal(reader.read({ src: "a.txt", encoding: "utf-8" }, open))).type).toMatch(/^(Binary|Not)/);
  });

  it("a mark in the middle is a character like any other", async () => {
    for (const codec of ["utf-16le", "utf-16be"]) {
      const text = "one\ufeff\n\ufefftwo\n";
      const part = await read(Buffer.concat([iconv.encode("\ufeff", codec), iconv.encode(text, codec)]));
      expect(part.text).toBe(text);
    }
  });
});

describe("a guess", () => {
  const bytes = iconv.encode("价格\n", "gbk");
  const formIn = async (files: Record<string, string | Buffer>, encodings?: string[]): Promise<string> => {
    const { path } = await scratchFolder(files);
    const settings = { ...encodingSettings([path], encodings), isChinese: false };
    const form = await new FileEncodings(settings).formOf(bytes, { path: `${path}/a.txt`, called: "a.txt" });
    return `${form.encoding.name}${form.guessed ? "?" : ""}`;
  };

  it("is Chinese first where the other files are Chinese", async () => {
    expect(await formIn({ "b.txt": "hello" })).toBe("windows-1252?");
    expect(await formIn({ "b.txt": "你好，世界，这是中文" })).toBe("GBK?");
    expect(await formIn({ "b.txt": "你好，世界，这是中文", "c.txt": "こんにちは、世界", "d.txt": "안녕" })).toBe(
      "windows-1252?",
    );
    expect(await formIn({ "b.txt": allSamples.find(({ name }) => name === "GBK")?.bytes as Buffer })).toBe("GBK?");
  });

  it("is the first that is asked for and gives the same bytes again", async () => {
    expect(await formIn({}, ["big5", "gbk"])).toMatch(/^(Big5|GBK)\?$/);
    expect(await formIn({}, ["gb18030"])).toBe("GBK?");
    await expect(formIn({}, ["utf-16le"])).rejects.toMatchObject({ data: { type: "NotText" } });
    await expect(formIn({}, [])).rejects.toMatchObject({ data: { type: "NotText" } });
  });

  it("follows the locale", async () => {
    expect(isChineseLocale({ LANG: "zh_CN.UTF-8" })).toBe(true);
    expect(isChineseLocale({ LC_ALL: "C", LANG: "zh_CN.UTF-8" })).toBe(isChineseLocale({}));
    expect(isChineseProject((await scratchFolder({})).path)).toBe(false);
  });
});

it("an .editorconfig that is made to take long does not", async () => {
  const deep = `[${"{a,b}".repeat(40)}]\ncharset = latin1\n`;
  const files = {
    ".editorconfig": `${`a${" ".repeat(20_000)}b\n`}${`charset${" ".repeat(900)}x\n`.repeat(10)}${deep.repeat(100)}[${"*a".repeat(60)}]\ncharset = latin1\n`,
  };
  const part = await read(Buffer.from("gr\xfc\n", "latin1"), {}, files);
  // In some milliseconds; a naive reader takes minutes.
  expect(part.head).toContain("guessed");
});

it("an .editorconfig that is a link, a folder or a pipe says nothing, and holds nothing up", async () => {
  const { reader, scratch } = await readerOf({
    "a/a.txt": Buffer.from("gr\xfc\n", "latin1"),
    "b/a.txt": Buffer.from("gr\xfc\n", "latin1"),
    "c/a.txt": Buffer.from("gr\xfc\n", "latin1"),
    "c/.editorconfig/x": "",
    outside: "[*]\ncharset = latin1\n",
  });
  await symlink("../outside", scratch.at("a/.editorconfig"));
  execFileSync("mkfifo", [scratch.at("b/.editorconfig")]);
  for (const folder of ["a", "b", "c"]) {
    expect((await reader.read({ src: `${folder}/a.txt` }, open)).head).toContain("(guessed)");
  }
});

it("an .editorconfig that changes counts at once", async () => {
  const { reader, scratch } = await readerOf({ "a.txt": Buffer.from("gr\xfc\n", "latin1") });
  const head = async (): Promise<string> => (await reader.read({ src: "a.txt" }, open)).head;
  expect(await head()).toContain("windows-1252 (guessed)");
  await scratch.write(".editorconfig", "[*]\ncharset = latin1\n");
  expect(await head()).toContain("ISO-8859-1");
  await scratch.write(".editorconfig", "[*]\ncharset = iso-8859-15\n");
  expect(await head()).toContain("ISO-8859-15");
});
