import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileDomainService } from "../../../src/agentscope/file-system/index.ts";
import { pathMatcher } from "../../../src/files/glob.ts";
import { makePlace, refusal, refusalText } from "./place.ts";

const ten = Array.from({ length: 10 }, (_, n) => `l${n + 1}\n`).join("");

describe("readTextFile", () => {
  it.each<[string, { startLine?: number; readLines?: number }, string]>([
    ["all lines", {}, "l1 l2 l3 l4 l5 l6 l7 l8 l9 l10"],
    ["from a line on", { startLine: 9 }, "l9 l10"],
    ["a number of lines", { startLine: 3, readLines: 2 }, "l3 l4"],
    ["less than asked for at the end", { startLine: 9, readLines: 5 }, "l9 l10"],
    ["the last line", { startLine: -1 }, "l10"],
    ["the last three", { startLine: -3 }, "l8 l9 l10"],
    ["two of the last three", { startLine: -3, readLines: 2 }, "l8 l9"],
    ["all, when more are asked for from the end", { startLine: -100 }, "l1 l2 l3 l4 l5 l6 l7 l8 l9 l10"],
  ])("should give %s", async (_, selection, expected) => {
    const { service, put } = makePlace();
    put("workspace/t", ten);
    expect(await service.readTextFile("/workspace/t", selection)).toBe(expected.replaceAll(" ", "\n"));
  });

  it.each([{ startLine: 0 }, { startLine: 11 }, { startLine: 1.5 }, { readLines: 0 }, { readLines: -1 }])(
    "should refuse %j",
    async (selection) => {
      const { service, put } = makePlace();
      put("workspace/t", ten);
      expect(await refusal(service.readTextFile("/workspace/t", selection))).toBe("InvalidRange");
    },
  );

  it("should say how many lines there are", async () => {
    const { service, put } = makePlace();
    put("workspace/t", "one\r\ntwo");
    expect(await refusalText(service.readTextFile("/workspace/t", { startLine: 3 }))).toBe(
      "/workspace/t has only 2 lines: there is no line 3.",
    );
    expect(await service.readTextLines("/workspace/t", { startLine: -1 })).toEqual({
      lines: ["two"],
      from: 2,
      total: 2,
    });
  });

  it("should give nothing of an empty file", async () => {
    const { service, put } = makePlace();
    put("workspace/t");
    expect(await service.readTextFile("/workspace/t")).toBe("");
    expect(await service.readTextFile("/workspace/t", { startLine: -5 })).toBe("");
    expect(await refusal(service.readTextFile("/workspace/t", { startLine: 2 }))).toBe("InvalidRange");
  });
});

describe("reading several files", () => {
  it("should report what can't be read in its place", async () => {
    const { service, put } = makePlace();
    put("workspace/a", "A\n");
    expect(await service.readMultipleFiles(["/workspace/a", "/workspace/none", "/etc/passwd"])).toMatchObject([
      { path: "/workspace/a", ok: true, content: "A" },
      { path: "/workspace/none", ok: false, error: "Path not found: /workspace/none" },
      { path: "/etc/passwd", ok: false },
    ]);
  });
});

describe("editFile", () => {
  it("should make ordered replacements", async () => {
    const { service, handle } = makePlace();
    await service.writeFile("/workspace/a.txt", "hello world\nalpha beta\n");
    const meta = await service.editFile("/workspace/a.txt", [
      { oldText: "hello", newText: "hi" },
      { oldText: "hi world", newText: "$& $1 $$" },
    ]);
    expect(meta).toMatchObject({ path: "/workspace/a.txt", notes: [] });
    expect(await handle.readFile("/workspace/a.txt")).toBe("$& $1 $$\nalpha beta\n");
  });

  it("should refuse a text that is not there, or there twice, and change nothing", async () => {
    const { service, put } = makePlace();
    const file = put("workspace/a.txt", "a\nb\na\n");
    const missing = service.editFile("/workspace/a.txt", [
      { oldText: "b", newText: "c" },
      { oldText: "x", newText: "y" },
    ]);
    expect(await refusalText(missing)).toMatch(/^\/workspace\/a\.txt was not edited:\n- edit 2: oldText [^\n]*not/);
    const twice = service.editFile("/workspace/a.txt", [{ oldText: "a", newText: "c" }]);
    const text = await refusalText(twice);
    expect(text).toMatch(/^\/workspace\/a\.txt was not edited:\n- oldText occurs 2 times[^\n]*1 and 3[^\n]*$/);
    expect(text).not.toContain("replace all");
    expect(await refusal(service.editFile("/workspace/a.txt", [{ oldText: "", newText: "c" }]))).toBe("EmptyFind");
    expect(readFileSync(file, "utf8")).toBe("a\nb\na\n");
  });

  it("should keep line ends and a byte order mark", async () => {
    const { service, put } = makePlace();
    const file = put("workspace/a.txt", "\ufeffa\r\nb\r\n");
    const { notes } = await service.editFile("/workspace/a.txt", [{ oldText: "a\nb", newText: "c\nd" }]);
    expect(readFileSync(file, "utf8")).toBe("\ufeffc\r\nd\r\n");
    expect(notes).toEqual(["The file has CRLF line ends: they were kept."]);
  });

  it("should not touch what may not be written", async () => {
    const { service, put } = makePlace();
    put("userinput/a.txt", "a");
    const edit = [{ oldText: "a", newText: "b" }];
    expect(await refusal(service.editFile("/userinput/a.txt", edit))).toBe("AccessDenied");
    expect(await refusal(service.editFile("/userinput/none.txt", edit))).toBe("AccessDenied");
    expect(await refusal(service.editFile("/workspace/none.txt", edit))).toBe("NotFound");
  });
});

describe("lists", () => {
  it("should show what is right there", async () => {
    const { service, put, handle } = makePlace();
    put("workspace/b.txt", "12");
    put("workspace/a/x", "1234");
    put("workspace/a/deep/y", "1");
    put("workspace/c/.keep");
    expect(await service.listDirectory("/workspace")).toEqual(["[DIR] a/", "[DIR] c/", "[FILE] b.txt"]);
    expect(await service.listDirectory("/workspace/a/")).toEqual(["[DIR] deep/", "[FILE] x"]);
    expect(await service.listDirectory("/internal/")).toEqual([]);
    expect(await refusal(service.listDirectory("/workspace/none"))).toBe("NotFound");
    expect(await refusal(service.listDirectory("/workspace/b.txt"))).toBe("NotADirectory");
    expect(new FileDomainService(handle).listAllowedDirectories()).toEqual([
      "/internal/",
      "/userinput/",
      "/workspace/",
    ]);
  });

  it("should show sizes, with those of folders added up", async () => {
    const { service, put } = makePlace();
    put("workspace/b.txt", "12");
    put("workspace/z.txt", "1");
    put("workspace/a/x", "1234");
    put("workspace/a/deep/y", "1");
    expect(await service.listDirectoryWithSizes("/workspace/")).toEqual({
      lines: ["[DIR] a/ (size=5)", "[FILE] b.txt (size=2)", "[FILE] z.txt (size=1)"],
      summary: "total: 3 entries; files=2, dirs=1; total_size=8",
    });
    const bySize = await service.listDirectoryWithSizes("/workspace", "size");
    expect(bySize.lines).toEqual(["[DIR] a/ (size=5)", "[FILE] z.txt (size=1)", "[FILE] b.txt (size=2)"]);
  });

  it("should find files by pattern or part of the path", async () => {
    const { service, put } = makePlace();
    for (const path of ["a.md", "b.txt", "d/c.md", "d/node/e.md"]) put(`workspace/${path}`);
    expect(await service.searchFiles("/workspace", "*.md")).toEqual([
      "/workspace/a.md",
      "/workspace/d/c.md",
      "/workspace/d/node/e.md",
    ]);
    expect(await service.searchFiles("/workspace/", "*.md", ["*/node/*"])).toEqual([
      "/workspace/a.md",
      "/workspace/d/c.md",
    ]);
    expect(await service.searchFiles("/workspace/d", "c.m")).toEqual(["/workspace/d/c.md"]);
    expect(await service.searchFiles("/workspace/", "none")).toEqual([]);
  });

  it("should give stat under both names", async () => {
    const { service, put } = makePlace();
    put("userinput/a", "123");
    expect(await service.stat("/userinput/a")).toEqual(await service.getFileInfo("/userinput/a"));
    expect(await service.readBinaryFile("/userinput/a")).toHaveLength(3);
    await service.writeFile("/workspace/x", "1");
    await service.deleteFile("/workspace/x");
    expect(await refusal(service.stat("/workspace/x"))).toBe("NotFound");
  });
});

describe("patterns", () => {
  it.each<[string, string, boolean]>([
    ["*.md", "/a/b.md", true],
    ["/a/*", "/a/b/c", true],
    ["/a/?", "/a/b", true],
    ["/a/?", "/a/bc", false],
    ["[ab]?", "a1", true],
    ["[!ab]?", "a1", false],
    ["[a-c]", "b", true],
    ["[a-c]", "d", false],
    ["[]]", "]", true],
    ["[", "[", true],
    ["", "", true],
    ["*", "", true],
    ["?", "😀", true],
  ])("should match %j with %j: %j", (pattern, path, expected) => expect(pathMatcher(pattern)(path)).toBe(expected));

  it("should be what a regular expression with the same meaning is", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "."), maxLength: 12 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "/"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (glob, path) => {
        const expression = glob.replace(/[.*?]/g, (one) => (one === "*" ? ".*" : "."));
        expect(pathMatcher(glob)(path)).toBe(new RegExp(`^${expression}$`, "s").test(path));
      }),
    );
  });

  it("should come to an end with hostile ones", () => {
    expect(pathMatcher(`${"*a".repeat(1000)}b`)("a".repeat(4000))).toBe(false);
  });
});
