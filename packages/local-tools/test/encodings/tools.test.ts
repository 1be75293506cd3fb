import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { openLocalTools } from "../../src/index.ts";
import { openSession } from "../support/session.ts";

describe("a model's <file encoding>", () => {
  const short = iconv.encode("价格 = 1\n", "gbk");

  it("says how a file is read and edited, and the answer names it", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": short } });
    const guessed = await ask('<tools><read><file src="a.txt"/></read></tools>');
    expect(guessed.text).toContain("==> a.txt: 1 line, windows-1252 (guessed) <==");
    const read = await ask('<tools><read><file src="a.txt" encoding="gbk"/></read></tools>');
    expect(read.text).toContain("==> a.txt: 1 line, GBK <==\n价格 = 1\n");
    const pair = "<find>格 = 1</find><replace>格 = 2 元</replace>";
    const edited = await ask(`<tools><edit><file src="a.txt" encoding="gbk">${pair}</file></edit></tools>`);
    expect(edited).toMatchObject({ status: "ok" });
    expect(edited.text).toContain("[The file is GBK, and stays in it.]");
    expect(edited.text).toContain("+价格 = 2 元");
    expect(await work.bytes("a.txt")).toEqual(iconv.encode("价格 = 2 元\n", "gbk"));
  });

  it("is what a refused edit asks for", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": short } });
    const edit = "<find>= 1</find><replace>= 2 元</replace>";
    const refused = await ask(`<tools><edit><file src="a.txt">${edit}</file></edit></tools>`);
    expect(refused).toMatchObject({ status: "error" });
    expect(refused.raw[0]?.error).toMatchObject({ type: "NotEncodable" });
    expect(refused.text).toContain("which is a guess");
    expect(refused.text).toContain("encoding=");
    expect(await work.bytes("a.txt")).toEqual(short);
    const unknown = await ask('<tools><read><file src="a.txt" encoding="gkb"/></read></tools>');
    expect(unknown.text).toContain("did you mean GBK");
  });

  it("makes a new file in it", async () => {
    const { ask, work } = await openSession();
    const file = '<file src="new.txt" encoding="utf-16le"><find><![CDATA[]]></find><replace>é</replace></file>';
    expect(await ask(`<tools><edit>${file}</edit></tools>`)).toMatchObject({ status: "ok" });
    expect(await work.bytes("new.txt")).toEqual(Buffer.from("\ufeffé", "utf16le"));
  });
});

describe("openLocalTools({ encodings })", () => {
  it("is tried in order, in reads, edits and searches", async () => {
    const files = { "a.txt": iconv.encode("привет\nold\n", "koi8-u") };
    const { local, work } = await openSession({ files, encodings: ["gbk", "koi8-u"] });
    const [part] = await local.read({ files: [{ src: "a.txt" }] });
    expect(part).toMatchObject({ head: "a.txt: 2 lines, GBK (guessed)" });
    const { local: own } = await openSession({
      files: { "a.txt": iconv.encode("вот\n", "koi8-u") },
      encodings: ["koi8-u"],
    });
    const [first, second] = await own.read({ files: [{ src: "a.txt" }], searches: [{ pattern: "вот" }] });
    expect(first).toMatchObject({ head: "a.txt: 1 line, KOI8-U (guessed)", encoding: "KOI8-U" });
    expect(second).toMatchObject({ text: "a.txt:1: вот\n" });
    await local.edit([{ src: "a.txt", edits: [{ find: "old", replace: "new" }] }]);
    expect(await work.bytes("a.txt")).toEqual(iconv.encode("привет\nnew\n", "koi8-u"));
  });

  it.each([
    [["gbkk"], /no encoding "gbkk"; did you mean GBK\?/],
    [[5], /encodings\[0\] must be text, not 5/],
    ["gbk", /must be a list of names/],
  ])("is checked: %j", async (encodings, message) => {
    const opening = openLocalTools({ roots: "/tmp", encodings: encodings as never });
    await expect(opening).rejects.toThrow(TypeError);
    await expect(opening).rejects.toThrow(message);
  });
});
