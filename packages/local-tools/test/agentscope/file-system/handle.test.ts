import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskFileSystem } from "../../../src/agentscope/file-system/index.ts";
import { makePlace, refusal, refusalText, temporaryFolder } from "./place.ts";

describe("the directories of a file system", () => {
  it("should be made below one root", () => {
    const root = join(temporaryFolder(), "deep", "base");
    const fs = new DiskFileSystem({ rootDir: root });
    expect(readdirSync(root).sort()).toEqual(["internal", "userinput", "workspace"]);
    expect(fs.prefixes).toEqual(["/userinput/", "/workspace/", "/internal/"]);
    expect(fs.directory("workspace")).toBe(join(root, "workspace"));
  });

  it("should be those that were named", async () => {
    const [a, b] = [temporaryFolder(), temporaryFolder()];
    const fs = new DiskFileSystem({ workspaceDir: a, userinputDir: b });
    await fs.createHandle([{ prefix: "/workspace/", ops: ["write"] }]).write("/workspace/x", "1");
    expect(readFileSync(join(a, "x"), "utf8")).toBe("1");
    expect(fs.directory("internal")).toBeUndefined();
  });

  it("should not lie in one another", () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "w"));
    symlinkSync(join(root, "w"), join(root, "link"));
    const inside = { workspaceDir: join(root, "w"), internalDir: join(root, "w", "internal") };
    expect(() => new DiskFileSystem(inside)).toThrow("lies in that of /workspace/");
    const same = { workspaceDir: join(root, "w"), userinputDir: join(root, "link") };
    expect(() => new DiskFileSystem(same)).toThrow(TypeError);
    const beside = { workspaceDir: join(root, "w"), internalDir: join(root, "w2") };
    expect(new DiskFileSystem(beside).prefixes).toEqual(["/workspace/", "/internal/"]);
  });

  it("should be directories", () => {
    const { put } = makePlace();
    const file = put("workspace/file");
    expect(() => new DiskFileSystem({ workspaceDir: file })).toThrow(TypeError);
    expect(() => new DiskFileSystem({ workspaceDir: join(file, "below") })).toThrow(TypeError);
    expect(() => new DiskFileSystem({})).toThrow("needs a directory");
    expect(() => new DiskFileSystem({ rootDir: "" })).toThrow(TypeError);
    expect(() => new DiskFileSystem({ rootDir: temporaryFolder(), maxBytes: 0 })).toThrow("maxBytes");
  });
});

describe("reading", () => {
  it("should give bytes and text", async () => {
    const { handle, put } = makePlace();
    put("workspace/t.txt", "alpha\nbravo\nalpha bravo\n");
    expect(Buffer.from(await handle.readBinary("/workspace/t.txt")).toString()).toBe("alpha\nbravo\nalpha bravo\n");
    expect(await handle.readFile("/workspace/t.txt")).toBe("alpha\nbravo\nalpha bravo\n");
    expect(await handle.readFile("/workspace/t.txt", { index: 1, line: 1 })).toBe("bravo");
    expect(await handle.readFile("/workspace/t.txt", { index: 2 })).toBe("alpha bravo");
    expect(await handle.readFile("/workspace/t.txt", { line: 2 })).toBe("alpha\nbravo");
    expect(await handle.readFile("/workspace/t.txt", { index: 9 })).toBe("");
  });

  it("should give matches, and overlapping ones", async () => {
    const { handle, put } = makePlace();
    put("workspace/t.txt", "alpha\nbravo\nalpha\n");
    expect(await handle.readRe("/workspace/t.txt", "^alpha$")).toEqual(["alpha", "alpha"]);
    put("workspace/a.txt", "aaaa");
    expect(await handle.readRe("/workspace/a.txt", "aa")).toEqual(["aa", "aa"]);
    expect(await handle.readRe("/workspace/a.txt", "aa", { overlap: 1 })).toEqual(["aa", "aa", "aa"]);
    expect(await handle.readRe("/workspace/a.txt", "b*")).toEqual(["", "", "", "", ""]);
  });

  it("should refuse arguments that make no sense", async () => {
    const { handle, put } = makePlace();
    put("workspace/t.txt", "x");
    expect(await refusal(handle.readFile("/workspace/t.txt", { index: -1 }))).toBe("InvalidInput");
    expect(await refusal(handle.readFile("/workspace/t.txt", { line: 0 }))).toBe("InvalidInput");
    expect(await refusal(handle.readRe("/workspace/t.txt", "x", { overlap: -1 }))).toBe("InvalidInput");
    expect(await refusal(handle.readRe("/workspace/t.txt", "("))).toBe("InvalidPattern");
  });

  it("should refuse what is no UTF-8 text, and give its bytes", async () => {
    const { handle, put } = makePlace();
    put("workspace/latin", new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
    put("workspace/nul", new Uint8Array([0x61, 0, 0x62]));
    expect(await refusal(handle.readFile("/workspace/latin"))).toBe("NotText");
    expect(await refusal(handle.readFile("/workspace/nul"))).toBe("BinaryFile");
    expect(await handle.readBinary("/workspace/nul")).toHaveLength(3);
  });

  it("should leave out a byte order mark, and keep it in an update", async () => {
    const { handle, put } = makePlace();
    const file = put("workspace/bom.txt", "\ufeffa\r\n");
    expect(await handle.readFile("/workspace/bom.txt")).toBe("a\r\n");
    await handle.update("/workspace/bom.txt", (text) => text.replace("a", "b"));
    expect(readFileSync(file, "utf8")).toBe("\ufeffb\r\n");
  });

  it("should refuse files that are too large", async () => {
    const { handle, put } = makePlace({ maxBytes: 1000 });
    const file = put("workspace/big", "x".repeat(1000));
    expect(await handle.readFile("/workspace/big")).toHaveLength(1000);
    truncateSync(file, 1001);
    expect(await refusal(handle.readBinary("/workspace/big"))).toBe("TooLarge");
  });

  it("should say what is not there, and what is no file", async () => {
    const { handle, put } = makePlace();
    put("workspace/dir/file", "x");
    expect(await refusalText(handle.readFile("/workspace/none"))).toBe("Path not found: /workspace/none");
    expect(await refusalText(handle.readFile("/workspace/dir"))).toBe("/workspace/dir is a directory.");
    expect(await refusal(handle.readFile("/workspace/dir/"))).toBe("NotAFile");
    expect(await refusal(handle.readFile("/workspace/"))).toBe("NotAFile");
    expect(await refusal(handle.readFile("/workspace/dir/file/below"))).toBe("NotADirectory");
    expect(await refusal(handle.readFile("/workspace/dir/file/"))).toBe("NotADirectory");
  });

  it("should know a file and a folder", async () => {
    const { handle, put } = makePlace();
    const file = put("workspace/dir/a", "four");
    expect(await handle.file("/workspace/dir/a")).toEqual({
      path: "/workspace/dir/a",
      kind: "file",
      size: 4,
      updatedAt: statSync(file).mtime.toISOString(),
    });
    expect(await handle.file("/workspace/dir")).toMatchObject({ path: "/workspace/dir", kind: "directory", size: 0 });
    expect(await handle.file("/workspace/")).toMatchObject({ kind: "directory" });
    expect(await refusal(handle.file("/workspace/none"))).toBe("NotFound");
  });
});

describe("writing", () => {
  it("should write text and bytes, and make the folders", async () => {
    const { handle, root } = makePlace();
    const meta = await handle.write("/workspace/a/b/c.txt", "é");
    expect(meta).toMatchObject({ path: "/workspace/a/b/c.txt", size: 2, kind: "file" });
    await handle.write("/workspace/a/b.bin", new Uint8Array([0, 255]));
    expect([...readFileSync(join(root, "base/workspace/a/b.bin"))]).toEqual([0, 255]);
    expect(readdirSync(join(root, "base/workspace/a"))).toEqual(["b", "b.bin"]);
  });

  it("should leave nothing else behind", async () => {
    const { handle, root } = makePlace();
    await handle.write("/workspace/a.txt", "1");
    await handle.write("/workspace/a.txt", "2");
    expect(readdirSync(join(root, "base/workspace"))).toEqual(["a.txt"]);
    await handle.write("/workspace/new.txt", "1", { overwrite: false });
    expect(readdirSync(join(root, "base/workspace"))).toEqual(["a.txt", "new.txt"]);
  });

  it("should not overwrite when told so", async () => {
    const { handle } = makePlace();
    await handle.write("/workspace/a.txt", "1");
    expect(await refusal(handle.write("/workspace/a.txt", "2", { overwrite: false }))).toBe("AlreadyExists");
    const both = await Promise.allSettled(
      ["3", "4"].map((text) => handle.write("/workspace/b.txt", text, { overwrite: false })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await handle.readFile("/workspace/a.txt")).toBe("1");
  });

  it("should keep the mode of a file", async () => {
    const { handle, put } = makePlace();
    const file = put("workspace/run.sh", "#!/bin/sh\n");
    chmodSync(file, 0o750);
    await handle.write("/workspace/run.sh", "#!/bin/sh\necho\n");
    expect(statSync(file).mode & 0o777).toBe(0o750);
  });

  it("should refuse folders, odd data and half characters", async () => {
    const { handle, put } = makePlace();
    put("workspace/dir/a", "x");
    expect(await refusal(handle.write("/workspace/dir", "x"))).toBe("NotAFile");
    expect(await refusal(handle.write("/workspace/", "x"))).toBe("NotAFile");
    expect(await refusal(handle.write("/workspace/dir/a/b", "x"))).toBe("NotADirectory");
    expect(await refusal(handle.write("/workspace/x", 3.14 as never))).toBe("InvalidInput");
    expect(await refusal(handle.write("/workspace/x", "\ud800"))).toBe("InvalidInput");
    expect(["InvalidPath", "WriteFailed"]).toContain(await refusal(handle.write(`/workspace/${"x".repeat(300)}`, "x")));
  });

  it("should lose no update of many at once", async () => {
    const { fs, handle } = makePlace();
    const other = fs.createHandle([{ prefix: "/workspace/", ops: ["read", "write"] }]);
    await handle.write("/workspace/n", "0");
    const add = (text: string): string => String(Number(text) + 1);
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? handle : other).update("/workspace/n", add)));
    expect(await handle.readFile("/workspace/n")).toBe("20");
  });

  it("should not write over what someone else wrote during an update", async () => {
    const { handle, put } = makePlace();
    put("workspace/n", "before");
    const update = handle.update("/workspace/n", (text) => {
      put("workspace/n", "of another program");
      return `${text} and after`;
    });
    expect(await refusal(update)).toBe("FileChanged");
    expect(await handle.readFile("/workspace/n")).toBe("of another program");
  });
});

describe("deleting", () => {
  it("should delete files and nothing else", async () => {
    const { handle, put, root } = makePlace();
    put("workspace/dir/a", "x");
    expect(await refusal(handle.delete("/workspace/dir"))).toBe("NotAFile");
    expect(await refusal(handle.delete("/workspace/dir/"))).toBe("NotAFile");
    expect(await refusal(handle.delete("/workspace/none"))).toBe("NotFound");
    await handle.delete("/workspace/dir/a");
    expect(existsSync(join(root, "base/workspace/dir"))).toBe(true);
    expect(await refusal(handle.delete("/workspace/dir/a"))).toBe("NotFound");
  });

  it("should delete a link, not what it leads to", async () => {
    const { handle, put, root } = makePlace();
    const file = put("workspace/a", "x");
    symlinkSync(file, join(root, "base/workspace/link"));
    await handle.delete("/workspace/link");
    expect(readdirSync(join(root, "base/workspace"))).toEqual(["a"]);
  });
});

describe("listing", () => {
  it("should give all files below, sorted", async () => {
    const { handle, put } = makePlace();
    for (const path of ["workspace/b", "workspace/a/z", "workspace/a/b/c", "userinput/u", "internal/i"])
      put(path, path);
    expect((await handle.list("/workspace/")).map(({ path }) => path)).toEqual([
      "/workspace/a/b/c",
      "/workspace/a/z",
      "/workspace/b",
    ]);
    expect((await handle.list("/workspace/a")).map(({ path }) => path)).toEqual(["/workspace/a/b/c", "/workspace/a/z"]);
    expect((await handle.list()).map(({ path }) => path)).toEqual([
      "/internal/i",
      "/userinput/u",
      "/workspace/a/b/c",
      "/workspace/a/z",
      "/workspace/b",
    ]);
    expect(await handle.list("/workspace/b")).toHaveLength(1);
    expect(await refusal(handle.list("/workspace/none/"))).toBe("NotFound");
  });

  it("should not be asked for ever by links in a circle", async () => {
    const { handle, put, root } = makePlace();
    put("workspace/a/b", "x");
    symlinkSync(join(root, "base/workspace"), join(root, "base/workspace/a/up"));
    symlinkSync("b", join(root, "base/workspace/a/same"));
    expect((await handle.list("/workspace/")).map(({ path }) => path)).toEqual(["/workspace/a/b", "/workspace/a/same"]);
  });

  it("should stop when there is too much", async () => {
    const { handle, put } = makePlace({ maxEntries: 10 });
    for (let n = 0; n < 11; n += 1) put(`workspace/d/${n}`);
    expect(await refusal(handle.list("/workspace/"))).toBe("TooLarge");
    expect(await refusal(handle.children("/workspace/d"))).toBe("TooLarge");
    expect(await handle.children("/workspace/")).toHaveLength(1);
  });

  it("should stop when it is aborted", async () => {
    const { handle, put } = makePlace();
    put("workspace/d/a");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(handle.list("/workspace/", { signal })).rejects.toThrow("enough");
  });

  it("should leave out folders that a grant holds before they are there", async () => {
    const { fs, put } = makePlace();
    put("workspace/a", "x");
    const handle = fs.createHandle([
      { prefix: "/workspace/later/", ops: ["list"] },
      { prefix: "/workspace/a", ops: ["list"] },
    ]);
    expect((await handle.list()).map(({ path }) => path)).toEqual(["/workspace/a"]);
  });
});
