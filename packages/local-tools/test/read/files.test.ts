import { symlink } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localError } from "../../src/errors.ts";
import { Roots } from "../../src/files/roots.ts";
import { Reader } from "../../src/read/reader.ts";
import { open, readerOf, refusal } from "./support.ts";

const twelve = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join("");

it("gives a whole file exactly as it is", async () => {
  const text = '  indented\t\n\n<![CDATA[ & \\n "quoted" ]]>\n\u00e9 \ud83d\ude00\u2028 \u0001\n';
  const { reader } = await readerOf({ "dir/a.txt": text });
  expect(await reader.read({ src: "dir/a.txt" }, open)).toEqual({
    kind: "file",
    of: "dir/a.txt",
    head: "dir/a.txt: 4 lines",
    text,
    cut: false,
  });
});

describe("line ranges", () => {
  it.each([
    [{ from: 3, to: 5 }, "lines 3–5 of 12", [3, 4, 5]],
    [{ from: 11 }, "lines 11–12 of 12", [11, 12]],
    [{ to: 2 }, "lines 1–2 of 12", [1, 2]],
    [{ from: 7, to: 7 }, "line 7 of 12", [7]],
    [{ from: 12, to: 12 }, "line 12 of 12", [12]],
    [{ from: 1, to: 12 }, "12 lines", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    [{ from: 11, to: 5000 }, "lines 11–12 of 12 (there is no line 5,000)", [11, 12]],
    [{ to: 13 }, "12 lines (there is no line 13)", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ])("%o", async (range, head, lines) => {
    const { reader } = await readerOf({ "a.txt": twelve });
    const part = await reader.read({ src: "a.txt", ...range }, open);
    expect(part).toMatchObject({ head: `a.txt: ${head}`, cut: false });
    expect(part.text).toBe(lines.map((line) => `line ${line}\n`).join(""));
  });

  it("that are none are refused with the number of lines there are", async () => {
    const { reader } = await readerOf({ "a.txt": twelve, "empty.txt": "" });
    const refused = (range: object, src = "a.txt"): Promise<unknown> => refusal(reader.read({ src, ...range }, open));
    expect(await refused({ from: 5, to: 4 })).toEqual({
      type: "InvalidRange",
      message: "a.txt: line 5 comes after line 4; the file has 12 lines.",
      lines: 12,
    });
    expect(await refused({ from: 13 })).toEqual({
      type: "InvalidRange",
      message: "a.txt has 12 lines; there is no line 13.",
      lines: 12,
    });
    expect(await refused({ from: 13, to: 20 })).toMatchObject({ type: "InvalidRange", lines: 12 });
    expect(await refused({ from: 2 }, "empty.txt")).toMatchObject({ type: "InvalidRange", lines: 0 });
    for (const range of [{ from: 0 }, { from: -1 }, { to: 0 }, { from: 1.5 }, { from: Number.NaN }, { to: 1e300 }]) {
      expect(await refused(range)).toMatchObject({ type: "InvalidRange" });
    }
  });
});

describe("what the text does not show is said", () => {
  it.each([
    ["an empty file", "", "empty file", ""],
    ["one line without an end", "x", "1 line; no line end at the end", "x"],
    ["CRLF", "a\r\nb\r\n", "2 lines; line ends are CRLF, shown as LF", "a\nb\n"],
    ["CRLF without an end", "a\r\nb", "2 lines; line ends are CRLF, shown as LF; no line end at the end", "a\nb"],
    ["both", "a\r\nb\nc\n", "3 lines; line ends are mixed (1 CRLF, 2 LF), shown as LF", "a\nb\nc\n"],
    ["a carriage return alone", "a\rb\n", "1 line", "a\rb\n"],
    ["a byte order mark", "\ufeffa\n", "1 line; begins with a byte order mark, not shown", "a\n"],
    ["only a byte order mark", "\ufeff", "empty file (but for a byte order mark)", ""],
    ["a mark further in stays", "a\ufeff\n\ufeffb\n", "2 lines", "a\ufeff\n\ufeffb\n"],
    ["empty lines", "\n\n", "2 lines", "\n\n"],
  ])("%s", async (_what, content, head, text) => {
    const { reader } = await readerOf({ f: content });
    expect(await reader.read({ src: "f" }, open)).toEqual({
      kind: "file",
      of: "f",
      head: `f: ${head}`,
      text,
      cut: false,
    });
  });
});

describe("what is long is cut where a line ends", () => {
  const lines = Array.from({ length: 5310 }, (_, at) => `line number ${String(at + 1).padStart(5, "0")}, and so on\n`);
  it("and can be read on", async () => {
    const { reader } = await readerOf({ "a.txt": lines.join("") }, { maxChars: 10_000 });
    const first = await reader.read({ src: "a.txt" }, open);
    expect(first).toMatchObject({ head: "a.txt: lines 1–344 of 5,310; read on from 345", cut: true });
    expect(first.text).toBe(lines.slice(0, 344).join(""));
    let all = first.text;
    for (let part = first; part.cut; ) {
      const from = Number(/read on from (\d+)/.exec(part.head)?.[1]);
      part = await reader.read({ src: "a.txt", from }, open);
      all += part.text;
    }
    expect(all).toBe(lines.join(""));
  });

  it("40,000 UTF-16 units unless told otherwise", async () => {
    const { reader } = await readerOf({ "a.txt": `${"é".repeat(99)}\n`.repeat(401) });
    const part = await reader.read({ src: "a.txt" }, open);
    expect(part.head).toBe("a.txt: lines 1–400 of 401; read on from 401");
    expect(part.text.length).toBe(40_000);
  });

  it("very long lines are shortened, never inside a character", async () => {
    const { reader } = await readerOf({ "a.txt": `short\n${"x".repeat(4999)}😀${"y".repeat(70_000)}\nlast\n` });
    const part = await reader.read({ src: "a.txt" }, open);
    expect(part.head).toBe("a.txt: 3 lines; too long, cut: line 2");
    expect(part.cut).toBe(true);
    expect(part.text).toBe(`short\n${"x".repeat(4999)}… (line cut; it has 75,003 bytes)\nlast\n`);
  });

  it("even a first line that is longer than all that may be given", async () => {
    const { reader } = await readerOf({ "a.txt": "x".repeat(500) }, { maxChars: 100 });
    const part = await reader.read({ src: "a.txt" }, open);
    expect(part.text).toBe(`${"x".repeat(100)}… (line cut; it has 500 bytes)`);
    expect(part.head).toBe("a.txt: 1 line; no line end at the end; too long, cut: line 1");
  });
});

describe("what is no text is refused", () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  it.each([
    ["a.png", png, "a.png is a binary file (16 bytes, image/png)."],
    ["a.dat", Buffer.from("text\0text"), "a.dat is a binary file (9 bytes, application/octet-stream)."],
    ["a.pdf", Buffer.from("%PDF-1.7\n\0"), "a.pdf is a binary file (10 bytes, application/pdf)."],
    ["a.ttf", Buffer.from([0, 1, 0, 0]), "a.ttf is a binary file (4 bytes, font/ttf)."],
    [
      "utf32.txt",
      Buffer.from("fffe000074000000", "hex"),
      "utf32.txt is a binary file (8 bytes, text/plain; charset=utf-32le).",
    ],
    ["noise", Buffer.alloc(20_000, 0xfe), "noise is a binary file (20.0 kB, application/octet-stream)."],
  ])("%s", async (src, bytes, message) => {
    const { reader } = await readerOf({ [src]: bytes });
    expect(await refusal(reader.read({ src }, open))).toMatchObject({
      type: "BinaryFile",
      message,
      size: bytes.length,
    });
    expect(await refusal(reader.read({ src, from: 1, to: 1 }, open))).toMatchObject({ type: "BinaryFile" });
  });

  it("a NUL far into the file counts, too", async () => {
    const { reader } = await readerOf({ a: Buffer.concat([Buffer.alloc(700_000, "text\n"), Buffer.from([0])]) });
    expect(await refusal(reader.read({ src: "a" }, open))).toMatchObject({ type: "BinaryFile" });
  });

  it("lines of no known encoding are named, and the others given", async () => {
    const umlauts = "grün, schön, größer, süß\n";
    const bytes = Buffer.concat([Buffer.from(`one\n${umlauts}`), Buffer.from("caf\xe9\nfour\n", "latin1")]);
    const { reader } = await readerOf({ "mixed.txt": bytes });
    expect(await refusal(reader.read({ src: "mixed.txt" }, open))).toMatchObject({
      type: "NotText",
      message: "mixed.txt is not UTF-8: line 3 has other bytes.",
      line: 3,
    });
    expect(await reader.read({ src: "mixed.txt", to: 2 }, open)).toMatchObject({ text: `one\n${umlauts}` });
    // A character cut off by the file's end.
    const { reader: other } = await readerOf({
      x: Buffer.concat([Buffer.from(umlauts), Buffer.from("ab\xe2\x82", "latin1")]),
    });
    expect(await refusal(other.read({ src: "x" }, open))).toMatchObject({ type: "NotText", line: 2 });
  });
});

describe("protected files", () => {
  it("are asked for by the name they really have, and by the one they were called", async () => {
    const { reader, scratch } = await readerOf({ ".env": "KEY=1\n", "plain.txt": "x\n" });
    await symlink(".env", scratch.at("settings.txt"));
    await symlink("plain.txt", scratch.at("id_rsa"));
    const asked: unknown[] = [];
    const decide = (request: unknown): Promise<void> => {
      asked.push(request);
      return Promise.resolve();
    };
    await reader.read({ src: "settings.txt" }, { decide });
    await reader.read({ src: "id_rsa" }, { decide });
    await reader.read({ src: "plain.txt" }, { decide });
    expect(asked).toEqual([
      { kind: "read", path: ".env", protected: expect.stringContaining("secrets") },
      { kind: "read", path: "plain.txt", protected: expect.stringContaining("key") },
      { kind: "read", path: "plain.txt", protected: undefined },
    ]);
  });

  it("are not touched before the answer, nor after a no", async () => {
    const { reader, scratch } = await readerOf({ ".env": "KEY=1\n" });
    const no = localError("AccessDenied", "no");
    await expect(reader.read({ src: ".env" }, { decide: () => Promise.reject(no) })).rejects.toBe(no);
    const part = await reader.read({ src: ".env" }, { decide: () => scratch.write(".env", "KEY=2\n") });
    expect(part.text).toBe("KEY=2\n");
  });

  it("a file that becomes a link while the host decides is not read", async () => {
    const { reader, scratch } = await readerOf({ "a.txt": "x\n", ".env": "KEY=1\n" });
    const { rm } = await import("node:fs/promises");
    const decide = async (): Promise<void> => {
      await rm(scratch.at("a.txt"));
      await symlink(".env", scratch.at("a.txt"));
    };
    expect(await refusal(reader.read({ src: "a.txt" }, { decide }))).toMatchObject({ type: "FileChanged" });
  });
});

it("what is not there, or no file, or no directory, is said", async () => {
  const { reader } = await readerOf({ "a.txt": "x" });
  expect(await refusal(reader.read({ src: "none.txt" }, open))).toEqual({
    type: "NotFound",
    message: "There is no none.txt.",
  });
  expect(await refusal(reader.read({ src: "a.txt/" }, open))).toMatchObject({ type: "NotADirectory" });
  expect(await refusal(reader.read({ src: "" }, open))).toMatchObject({ type: "InvalidPath" });
  expect(await refusal(reader.read({ src: "../x" }, open))).toMatchObject({ type: "OutsideRoots" });
});

it.runIf(process.platform === "linux")("files that say they have no bytes, and have some, are read", async () => {
  const reader = new Reader({ roots: await Roots.open(["/proc/sys/kernel"]) });
  const { text, head } = await reader.read({ src: "ostype" }, open);
  expect([text, head]).toEqual(["Linux\n", "ostype: 1 line"]);
});

it("any text comes back as it is, but for CRLF, in one piece or in many", async () => {
  const line = fc
    .string({ unit: "grapheme", maxLength: 30 })
    .map((text) => text.replace(/[\n\r\0\ufeff]|\p{Cs}/gu, "x"));
  const end = fc.constantFrom("\n", "\n", "\r\n", "");
  const { reader, scratch, roots } = await readerOf();
  const narrow = new Reader({ roots, maxChars: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(line, end), { maxLength: 20 }), async (lines) => {
      const text = lines.map(([content, ending]) => content + ending).join("");
      await scratch.write("f", text);
      const shown = text.replaceAll("\r\n", "\n");
      expect((await reader.read({ src: "f" }, open)).text).toBe(shown);
      const pieces: string[] = [];
      for (let from = 1; ; ) {
        const part = await narrow.read({ src: "f", from }, open);
        pieces.push(part.text);
        const next = /read on from (\d+)/.exec(part.head)?.[1];
        if (next === undefined) break;
        from = Number(next);
      }
      if (!shown.split("\n").some((one) => one.length > 40)) expect(pieces.join("")).toBe(shown);
    }),
    { numRuns: 100 },
  );
});
