import { chmod, lstat, open, readdir, stat, symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openSession } from "../support/session.ts";

const file = (src: string, find: string, replace: string, all = ""): string =>
  `<file src="${src}"><find${all}>${find}</find><replace>${replace}</replace></file>`;
const edit = (...files: string[]): string => `<edit>${files.join("")}</edit>`;
const block = (...calls: string[]): string => `<tools>${calls.join("")}</tools>`;

describe("Execution: edit is all or nothing per block and file set", () => {
  it("a find that does not occur: nothing is written, in no file of the block, whichever <edit> it stands in", async () => {
    const { tell, work } = await openSession({ files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" } });
    const { results, text } = await tell(
      block(
        edit(file("a.txt", "a", "A"), file("b.txt", "b", "B")),
        edit(file("new.txt", "<![CDATA[]]>", "new")),
        edit(file("c.txt", "missing", "C")),
      ),
    );
    expect(
      results.map(({ status }) => status),
      text,
    ).toEqual(["error", "error", "error"]);
    expect(text).toContain("c.txt");
    expect([await work.read("a.txt"), await work.read("b.txt"), await work.read("c.txt")]).toEqual([
      "a\n",
      "b\n",
      "c\n",
    ]);
    expect(await work.has("new.txt")).toBe(false);
  });

  it("a find must occur exactly once: otherwise the error names the file, the count and where", async () => {
    const { ask, work } = await openSession({ files: { "src/a.txt": "x = 1\ny = 2\nx = 1\nz\nx = 1\n" } });
    const { status, text } = await ask(block(edit(file("src/a.txt", "x = 1", "x = 2"))));
    expect(status).toBe("error");
    expect(text).toContain("src/a.txt");
    expect(text).toMatch(/\b3\b/);
    expect(text).toMatch(/\b1\b.*\b3\b.*\b5\b/s);
    expect(await work.read("src/a.txt")).toBe("x = 1\ny = 2\nx = 1\nz\nx = 1\n");
  });

  it('all="true" replaces every occurrence, and at least one must be there', async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "x x\nx\n" } });
    expect(await ask(block(edit(file("a.txt", "x", "xx", ' all="true"'))))).toMatchObject({ status: "ok" });
    expect(await work.read("a.txt")).toBe("xx xx\nxx\n");
    expect(await ask(block(edit(file("a.txt", "y", "z", ' all="true"'))))).toMatchObject({ status: "error" });
  });

  it("the error shows the nearest passage, with its line", async () => {
    const content = `${"// filler\n".repeat(40)}  const total = price * count;\n  return total;\n${"// filler\n".repeat(40)}`;
    const { ask } = await openSession({ files: { "src/a.ts": content } });
    const { text } = await ask(block(edit(file("src/a.ts", "  const total = prize * count;\n  return total;", "x"))));
    expect(text).toContain("src/a.ts");
    expect(text).toContain("const total = price * count;");
    expect(text).toMatch(/\b41\b/);
    // Near, not everything.
    expect(text.length).toBeLessThan(3_000);
  });

  it("when a find does not occur exactly, common indentation is removed and tried again, and reported", async () => {
    const { ask, work } = await openSession({ files: { "a.ts": "function f() {\n  if (x) {\n    y();\n  }\n}\n" } });
    const find = "\n        if (x) {\n          y();\n        }\n      ";
    const replace = "\n        if (!x) {\n          z();\n        }\n      ";
    const { status, text } = await ask(block(edit(file("a.ts", find, replace))));
    expect(status, text).toBe("ok");
    expect(text).toMatch(/indent/i);
    expect(await work.read("a.ts")).toBe("function f() {\n  if (!x) {\n    z();\n  }\n}\n");
  });

  it("white space inside a line is never guessed", async () => {
    const { ask, work } = await openSession({ files: { "a.ts": "a  = 1;\n" } });
    expect(await ask(block(edit(file("a.ts", "a = 1;", "a = 2;"))))).toMatchObject({ status: "error" });
    expect(await work.read("a.ts")).toBe("a  = 1;\n");
  });
});

describe("Execution: writes", () => {
  it("are atomic: who has the old file open goes on reading the old content, and no temporary file is left", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "old content\n" } });
    const reader = await open(work.at("a.txt"));
    try {
      const before = await stat(work.at("a.txt"));
      expect(await ask(block(edit(file("a.txt", "old", "new"))))).toMatchObject({ status: "ok" });
      expect((await reader.readFile("utf8")).toString()).toBe("old content\n");
      expect(await work.read("a.txt")).toBe("new content\n");
      expect((await stat(work.at("a.txt"))).ino).not.toBe(before.ino);
      expect(await readdir(work.path)).toEqual(["a.txt"]);
    } finally {
      await reader.close();
    }
  });

  it.each([0o755, 0o600, 0o444])("keep the mode: %o", async (mode) => {
    const { ask, work } = await openSession({ files: { "a.sh": "echo old\n" } });
    await chmod(work.at("a.sh"), mode);
    await ask(block(edit(file("a.sh", "old", "new"))));
    expect((await stat(work.at("a.sh"))).mode & 0o777).toBe(mode);
    expect(await work.read("a.sh")).toBe("echo new\n");
  });

  it.each([
    ["the byte order mark", "\ufeffold\nnext\n", "\ufeffnew\nnext\n"],
    ["CRLF line ends", "old\r\nnext\r\n", "new\r\nnext\r\n"],
    ["mixed line ends that are not touched", "a\r\nold\nb\r\n", "a\r\nnew\nb\r\n"],
    ["a final newline that is missing", "next\nold", "next\nnew"],
    ["several final newlines", "old\n\n\n", "new\n\n\n"],
    ["characters beyond the basic plane", "😀 old 你好\n", "😀 new 你好\n"],
  ])("keep %s", async (_, before, after) => {
    const { ask, work } = await openSession({ files: { "a.txt": before } });
    expect(await ask(block(edit(file("a.txt", "old", "new"))))).toMatchObject({ status: "ok" });
    expect(await work.read("a.txt")).toBe(after);
  });

  it("keep the encoding", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": Buffer.from("caf\xe9 old\n", "latin1") } });
    expect(await ask(block(edit(file("a.txt", "old", "new"))))).toMatchObject({ status: "ok" });
    expect(await work.bytes("a.txt")).toEqual(Buffer.from("caf\xe9 new\n", "latin1"));
  });

  it("keep line ends: lines that are added to a CRLF file end as its own do", async () => {
    const { ask, work } = await openSession({ files: { "a.txt": "one\r\ntwo\r\nthree\r\n" } });
    expect(await ask(block(edit(file("a.txt", "one\ntwo", "one\nhalf\ntwo"))))).toMatchObject({ status: "ok" });
    expect(await work.read("a.txt")).toBe("one\r\nhalf\r\ntwo\r\nthree\r\n");
  });

  it.each([
    ["binary files", Buffer.from([0x6f, 0x6c, 0x64, 0, 1, 2, 0xff])],
    ["text in no known encoding", Buffer.concat([Buffer.from("grün, schön, größer old\n"), Buffer.from([0xff])])],
  ])("refuse %s", async (_, bytes) => {
    const { ask, work } = await openSession({ files: { "a.bin": bytes } });
    expect(await ask(block(edit(file("a.bin", "old", "new"))))).toMatchObject({
      status: "error",
      text: expect.stringContaining("a.bin"),
    });
    expect(await work.bytes("a.bin")).toEqual(bytes);
  });

  it("refuse a file that changed since it was read in this block, or take the change in: it is never lost", async () => {
    const { tell, work } = await openSession({
      files: { "a.txt": "old\n" },
      policy: (request) => (request.kind === "edit" ? "ask" : "allow"),
    });
    const { results } = await tell(block(edit(file("a.txt", "old", "new"))), {
      answer: async () => {
        await work.write("a.txt", "written meanwhile\nold\n");
        return { approved: true };
      },
    });
    const after = await work.read("a.txt");
    expect(after).toContain("written meanwhile\n");
    expect([results[0]?.status, after]).toEqual(
      results[0]?.status === "ok" ? ["ok", "written meanwhile\nnew\n"] : ["error", "written meanwhile\nold\n"],
    );
  });

  it("go through a link inside the roots to its file, and the link stays", async () => {
    const { ask, work } = await openSession({ files: { "real.txt": "old\n" } });
    await symlink("real.txt", work.at("link.txt"));
    expect(await ask(block(edit(file("link.txt", "old", "new"))))).toMatchObject({ status: "ok" });
    expect((await lstat(work.at("link.txt"))).isSymbolicLink()).toBe(true);
    expect(await work.read("real.txt")).toBe("new\n");
  });
});

describe("Execution: every changed file is recoverable", () => {
  it("undo restores the previous content of all files of a change, and takes away what it made", async () => {
    const { tell, local, work } = await openSession({ files: { "a.txt": "a\r\n", "b.txt": "\ufeffb" } });
    await tell(
      block(edit(file("a.txt", "a", "A"), file("b.txt", "b", "B")), edit(file("new.txt", "<![CDATA[]]>", "new"))),
    );
    expect(await work.has("new.txt")).toBe(true);
    expect((await local.changes()).map(({ state }) => state)).toEqual(["done"]);
    await local.undo();
    expect([await work.read("a.txt"), await work.read("b.txt"), await work.has("new.txt")]).toEqual([
      "a\r\n",
      "\ufeffb",
      false,
    ]);
  });

  it("undo goes back change by change, and by name", async () => {
    const { ask, local, work } = await openSession({ files: { "a.txt": "1\n", "b.txt": "1\n" } });
    for (const next of ["2", "3"]) await ask(block(edit(file("a.txt", String(Number(next) - 1), next))));
    await ask(block(edit(file("b.txt", "1", "2"))));
    const [, second] = await local.changes();
    await local.undo(second?.id);
    expect([await work.read("a.txt"), await work.read("b.txt")]).toEqual(["2\n", "2\n"]);
    await local.undo();
    expect(await work.read("b.txt")).toBe("1\n");
    await local.undo();
    expect(await work.read("a.txt")).toBe("1\n");
  });

  it("undo never overwrites what was written since", async () => {
    const { ask, local, work } = await openSession({ files: { "a.txt": "1\n" } });
    await ask(block(edit(file("a.txt", "1", "2"))));
    await work.write("a.txt", "by hand\n");
    await expect(local.undo()).rejects.toMatchObject({ data: { type: "UndoConflict" } });
    expect(await work.read("a.txt")).toBe("by hand\n");
  });
});
