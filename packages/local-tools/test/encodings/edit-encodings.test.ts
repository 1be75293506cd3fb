import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import type { FileEdits } from "../../src/edit/types.ts";
import { openEditor } from "../edit/open-editor.ts";
import { allSamples } from "./samples.ts";

/** One edit of a file of these bytes: what became of it. */
async function edited(
  bytes: Buffer | undefined,
  find: string,
  replace: string,
  more: Partial<FileEdits> = {},
  files: Record<string, string> = {},
) {
  const { edit, work, editor } = await openEditor({ ...files, ...(bytes && { "a.txt": bytes }) });
  const outcome = edit({ src: "a.txt", edits: [{ find, replace }], ...more });
  const after = async (): Promise<Buffer | undefined> => ((await work.has("a.txt")) ? work.bytes("a.txt") : undefined);
  return { outcome, after, editor };
}

/** Bytes between the same bytes. */
const between = (bytes: Buffer, find: Buffer, replace: Buffer): Buffer => {
  const at = bytes.indexOf(find);
  return Buffer.concat([bytes.subarray(0, at), replace, bytes.subarray(at + find.length)]);
};

describe("a file in another encoding is edited in it", () => {
  it.each(allSamples.map((one) => [one.name, one] as const))("%s", async (name, { text, bytes }) => {
    // What the text has, so that the encoding has it too.
    const words = [...(text.split(/\r?\n/)[0] as string)].reverse().join("");
    const { outcome, after, editor } = await edited(bytes, "total = 1;", `total = 2; ${words}\nnext`);
    const { files } = await outcome;
    expect(files[0]).toMatchObject({ encoding: name, added: 2, removed: 1 });
    expect(files[0]?.notes).toContain(`The file is ${name}, and stays in it.`);
    expect(files[0]?.diff.replaceAll("\r", "")).toContain(`+const total = 2; ${words}\n`);
    const end = text.includes("\r\n") ? "\r\n" : "\n";
    const codec = name === "GBK" ? "gb18030" : name;
    const coded = (part: string): Buffer => iconv.encode(part, codec);
    expect(await after()).toEqual(between(bytes, coded("total = 1;"), coded(`total = 2; ${words}${end}next`)));
    // Put back as bytes, and shown as text.
    const { files: undone } = await editor.undo();
    expect(await after()).toEqual(bytes);
    expect(undone[0]?.diff.replaceAll("\r", "")).toContain(`-const total = 2; ${words}\n`);
  });
});

describe("only what changes is encoded", () => {
  // Two codes of Shift_JIS for one sign, and two of GBK: the codec writes one of them.
  const signs: [string, string, string][] = [
    ["shift_jis", "8754", "fa4a"],
    ["gbk", "80", "a2e3"],
  ];

  it.each(signs)("%s: each code stays as it is", async (encoding, one, other) => {
    const sign = iconv.decode(Buffer.from(one, "hex"), encoding === "gbk" ? "gb18030" : encoding);
    expect(iconv.decode(Buffer.from(other, "hex"), encoding)).toBe(sign);
    for (const code of [one, other]) {
      const line = (words: string): Buffer =>
        Buffer.concat([
          Buffer.from(code, "hex"),
          Buffer.from(` ${words} `),
          Buffer.from(code, "hex"),
          Buffer.from("\r\n"),
        ]);
      const bytes = Buffer.concat([line("first"), line("middle"), line("last")]);
      // The lines around are in find and replace, as models write them.
      const find = `${sign} first ${sign}\n${sign} middle ${sign}\n${sign} last`;
      const replace = `${sign} first ${sign}\nnew\n${sign} changed ${sign}\n${sign} last`;
      const { outcome, after } = await edited(bytes, find, replace, { encoding });
      await outcome;
      expect(await after()).toEqual(
        Buffer.concat([line("first"), Buffer.from("new\r\n"), line("changed"), line("last")]),
      );
    }
  });

  it("where the encoding is a guess, and a wrong one", async () => {
    const bytes = iconv.encode("価格\nprice = 1\n価格\n", "euc-jp");
    const { outcome, after } = await edited(bytes, "price = 1", "price = 2\nmore");
    const { files } = await outcome;
    expect(files[0]?.notes).toContainEqual(expect.stringContaining("a guess"));
    expect(await after()).toEqual(between(bytes, Buffer.from("price = 1"), Buffer.from("price = 2\nmore")));
  });

  it("with all, and several pairs of which one changes what another wrote", async () => {
    const text = "一二三\n四五六\n一二三\n";
    const { outcome, after } = await edited(iconv.encode(text, "gbk"), "", "", {
      encoding: "gbk",
      edits: [
        { find: "一", replace: "壹零", all: true },
        { find: "零二三\n四", replace: "貳\n" },
        { find: "五六\n壹", replace: "" },
      ],
    });
    await outcome;
    expect(iconv.decode((await after()) as Buffer, "gbk")).toBe("壹貳\n零二三\n");
  });
});

describe("what can't be written is refused, and nothing is written", () => {
  const latin = allSamples.find(({ name }) => name === "ISO-8859-1")?.bytes as Buffer;

  it("a character that the encoding lacks, with its line", async () => {
    const { outcome, after } = await edited(latin, "total = 1;", "total = 1;\nprice = '5 €';");
    await expect(outcome).rejects.toMatchObject({
      message: 'a.txt is ISO-8859-1, which has no "€" (U+20AC): line 3 would have it. Nothing was written.',
      data: { type: "NotEncodable", hint: expect.stringContaining("iconv") },
    });
    expect(await after()).toEqual(latin);
  });

  it.each([
    ["shift_jis", "5 ¥"],
    ["big5", "😀"],
    ["euc-kr", "é and ẽ"],
    ["windows-1252", "中"],
  ])("%s: %s", async (encoding, replace) => {
    const { outcome, after } = await edited(Buffer.from("old\n"), "old", replace, { encoding });
    await expect(outcome).rejects.toMatchObject({ data: { type: "NotEncodable" } });
    expect(await after()).toEqual(Buffer.from("old\n"));
  });

  it("one file of a set holds up all of it", async () => {
    const { edit, work } = await openEditor({ "a.txt": latin, "b.txt": "old\n" });
    const sets = [
      { src: "b.txt", edits: [{ find: "old", replace: "new" }] },
      { src: "a.txt", edits: [{ find: "total", replace: "合計" }] },
    ];
    await expect(edit(...sets)).rejects.toMatchObject({ data: { type: "NotEncodable" } });
    expect(await work.read("b.txt")).toBe("old\n");
  });

  it("more than ASCII where the encoding is a guess: to name it is the cure", async () => {
    const bytes = Buffer.from("gr\xfcn\nold\n", "latin1");
    const { outcome, after } = await edited(bytes, "old", "größer");
    await expect(outcome).rejects.toMatchObject({
      message: expect.stringContaining("a.txt may be windows-1252, which is a guess"),
      data: { type: "NotEncodable", hint: expect.stringContaining('encoding="windows-1252"') },
    });
    expect(await after()).toEqual(bytes);
    const cured = await edited(bytes, "old", "größer", { encoding: "windows-1252" });
    expect((await cured.outcome).files[0]).toMatchObject({ encoding: "windows-1252" });
    expect(await cured.after()).toEqual(Buffer.from("gr\xfcn\ngr\xf6\xdfer\n", "latin1"));
  });
});

describe("the encoding that a call names", () => {
  it("is that of a new file; UTF-16 gets a mark", async () => {
    const made = async (encoding: string | undefined): Promise<string> => {
      const { outcome, after } = await edited(undefined, "", "é\n", { ...(encoding !== undefined && { encoding }) });
      await outcome;
      return (await after())?.toString("hex") ?? "";
    };
    expect(await made(undefined)).toBe("c3a90a");
    expect(await made("utf-8")).toBe("c3a90a");
    expect(await made("utf-8-bom")).toBe("efbbbfc3a90a");
    expect(await made("latin1")).toBe("e90a");
    expect(await made("gbk")).toBe("a8a60a");
    expect(await made("utf-16le")).toBe("fffee9000a00");
    expect(await made("UTF-16BE")).toBe("feff00e9000a");
    const lacking = await edited(undefined, "", "中\n", { encoding: "latin1" });
    await expect(lacking.outcome).rejects.toMatchObject({ data: { type: "NotEncodable" } });
    expect(await lacking.after()).toBeUndefined();
  });

  it("is that of an empty file, and of one in ASCII", async () => {
    for (const [bytes, find] of [
      ["", ""],
      ["old\n", "old\n"],
    ] as const) {
      const { outcome, after } = await edited(Buffer.from(bytes), find, "中\n", { encoding: "gb2312" });
      expect((await outcome).files[0]).toMatchObject({ encoding: "GBK" });
      expect((await after())?.toString("hex")).toBe("d6d00a");
    }
  });

  it("may be what .editorconfig declares for a file in ASCII", async () => {
    const declared = { ".editorconfig": "[*]\ncharset = latin1\n" };
    const { outcome, after } = await edited(Buffer.from("old\n"), "old", "é", {}, declared);
    await outcome;
    expect((await after())?.toString("hex")).toBe("e90a");
    // What stays in ASCII is in any encoding, so none is named.
    const plain = await edited(Buffer.from("old\n"), "old", "new", {}, declared);
    expect((await plain.outcome).files[0]).toMatchObject({ notes: [] });
    expect((await plain.outcome).files[0]?.encoding).toBeUndefined();
    const other = await edited(Buffer.from("old\n"), "old", "é", { encoding: "utf-8" }, declared);
    await other.outcome;
    expect((await other.after())?.toString("hex")).toBe("c3a90a");
  });

  it("must be one, and the same wherever the file is named", async () => {
    const { edit, work } = await openEditor({ "a.txt": "old\n" });
    const edits = [{ find: "old", replace: "new" }];
    await expect(edit({ src: "a.txt", encoding: "gbkk", edits })).rejects.toMatchObject({
      message: expect.stringContaining("did you mean GBK?"),
      data: { type: "InvalidInput" },
    });
    await expect(
      edit({ src: "a.txt", encoding: "gbk", edits }, { src: "./a.txt", encoding: "big5", edits }),
    ).rejects.toMatchObject({ message: expect.stringContaining("two encodings, gbk and big5") });
    await expect(edit({ src: "a.txt", encoding: 5 as never, edits })).rejects.toThrow(TypeError);
    expect(await work.read("a.txt")).toBe("old\n");
    await edit({ src: "a.txt", encoding: "gbk", edits }, { src: "./a.txt", encoding: "GB18030", edits: [] }).catch(
      () => {},
    );
  });

  it("is what an undo shows its diff in", async () => {
    const bytes = iconv.encode("привет old\n", "koi8-u");
    const { outcome, editor } = await edited(bytes, "old", "мир", { encoding: "koi8-u" });
    await outcome;
    expect((await editor.undo()).files[0]?.diff).toContain("-привет мир\n+привет old\n");
  });
});
