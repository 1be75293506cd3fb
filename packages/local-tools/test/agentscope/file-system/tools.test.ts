import { contentText } from "@toolglot/core";
import { Toolkit } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { registerFileSystemTools } from "../../../src/agentscope/file-system/index.ts";
import { makePlace, type Place } from "./place.ts";

function kitOf(): Place & {
  call(name: string, input?: unknown): Promise<{ text: string; status: string; type?: string }>;
} {
  const place = makePlace();
  const kit = new Toolkit();
  registerFileSystemTools(kit, place.service);
  return {
    ...place,
    async call(name, input = {}) {
      let last: { text: string; status: string; type?: string } | undefined;
      for await (const { content, status, error } of kit.callToolFunction({ name, input })) {
        last = { text: contentText(content), status, ...(error ? { type: error.type } : {}) };
      }
      return last as NonNullable<typeof last>;
    },
  };
}

describe("read_text_file", () => {
  it("should number lines under a header", async () => {
    const { call, put } = kitOf();
    put("workspace/t", "a\nb\n");
    expect((await call("read_text_file", { path: "/workspace/t" })).text).toBe(
      "line_count: 2\nformat: line{N}: <content>\nline1: a\nline2: b",
    );
  });

  it("should number some lines as they are in the file, and say which they are", async () => {
    const { call, put } = kitOf();
    put("workspace/t", "a\nb\nc\nd\n");
    expect((await call("read_text_file", { path: "/workspace/t", start_line: 2, read_lines: 2 })).text).toBe(
      "line_count: 2\nformat: line{N}: <content>\nlines: 2-3 of 4\nline2: b\nline3: c",
    );
    expect((await call("read_text_file", { path: "/workspace/t", start_line: -1, with_header: false })).text).toBe(
      "line4: d",
    );
  });

  it("should give it raw, and nothing of an empty file", async () => {
    const { call, put } = kitOf();
    put("workspace/t", "a\nb\n");
    put("workspace/empty");
    const raw = { path: "/workspace/t", with_line_numbers: false };
    expect((await call("read_text_file", raw)).text).toBe("line_count: 2\nformat: raw\na\nb");
    expect((await call("read_text_file", { ...raw, with_header: false })).text).toBe("a\nb");
    expect((await call("read_text_file", { path: "/workspace/empty" })).text).toBe(
      "line_count: 0\nformat: line{N}: <content>",
    );
    expect((await call("read_text_file", { ...raw, read_lines: null })).status).toBe("ok");
  });

  it("should cut what is too much, at a line, and say where to go on", async () => {
    const { call, put } = kitOf();
    put("workspace/t", `${"x".repeat(999)}\n`.repeat(300));
    const { text } = await call("read_text_file", { path: "/workspace/t" });
    expect(text.length).toBeLessThan(102_000);
    expect(text).toContain("lines: 1-100 of 300");
    expect(text.endsWith("[cut: 200 lines of 300 left out; go on with start_line 101]")).toBe(true);
    put("workspace/one", "y".repeat(300_000));
    const one = await call("read_text_file", { path: "/workspace/one", with_line_numbers: false });
    expect(one.text).toContain("[cut: line 1 has 300000 characters; the rest of it and 0 lines left out]");
    expect(one.text.length).toBeLessThan(101_000);
  });

  it("should tell errors with their types", async () => {
    const { call } = kitOf();
    expect(await call("read_text_file", { path: "/workspace/none" })).toEqual({
      status: "error",
      type: "NotFound",
      text: "Error: Path not found: /workspace/none",
    });
    expect(await call("read_text_file", { path: "/workspace/../internal/x" })).toMatchObject({ type: "InvalidPath" });
    expect(await call("read_text_file", { path: "/etc/passwd" })).toMatchObject({ type: "AccessDenied" });
  });
});

describe("the other tools", () => {
  it("should read several files", async () => {
    const { call, put } = kitOf();
    put("workspace/a", "A\n");
    const paths = ["/workspace/a", "/workspace/none"];
    expect((await call("read_multiple_files", { paths })).text).toBe(
      "## /workspace/a\nline_count: 1\nformat: line{N}: <content>\nline1: A\n\n## /workspace/none (error)\nPath not found: /workspace/none",
    );
    expect((await call("read_multiple_files", { paths: [] })).text).toBe("<empty>");
    put("workspace/big", "x\n".repeat(60_000));
    const both = await call("read_multiple_files", { paths: ["/workspace/big", "/workspace/a"], with_header: false });
    expect(both.text).toMatch(
      /\[cut: [\d,]+ lines of 60,000 left out; go on with start_line \d+\]\n\n## \/workspace\/a\n/,
    );
  });

  it("should write, list, look, edit, search and delete", async () => {
    const { call } = kitOf();
    expect((await call("list_directory", { path: "/workspace/" })).text).toBe("<empty>");
    expect((await call("write_file", { path: "/workspace/d/a.txt", content: "hello\n" })).text).toBe(
      "wrote 6 bytes to /workspace/d/a.txt",
    );
    expect((await call("list_directory", { path: "/workspace/" })).text).toBe("[DIR] d/");
    expect((await call("list_directory_with_sizes", { path: "/workspace" })).text).toBe(
      "[DIR] d/ (size=6)\ntotal: 1 entries; files=0, dirs=1; total_size=6",
    );
    expect((await call("get_file_info", { path: "/workspace/d/a.txt" })).text).toMatch(
      /^path: \/workspace\/d\/a\.txt\nsize: 6\nupdated_at: \d{4}-\d\d-\d\dT[\d:.]+Z\nkind: file$/,
    );
    const edits = [{ oldText: "hello", newText: "goodbye" }];
    expect((await call("edit_file", { path: "/workspace/d/a.txt", edits })).text).toBe(
      "edited /workspace/d/a.txt (size=8)",
    );
    expect(await call("edit_file", { path: "/workspace/d/a.txt", edits })).toMatchObject({ type: "FindMissing" });
    expect((await call("search_files", { path: "/workspace/", pattern: "*.txt" })).text).toBe("/workspace/d/a.txt");
    expect((await call("search_files", { path: "/workspace/", pattern: "a", excludePatterns: ["*.txt"] })).text).toBe(
      "<empty>",
    );
    expect((await call("delete_file", { path: "/workspace/d/a.txt" })).text).toBe("deleted /workspace/d/a.txt");
    expect((await call("list_allowed_directories")).text).toBe("/internal/\n/userinput/\n/workspace/");
  });

  it("should show a name with a line end in it as one line", async () => {
    const { call, put } = kitOf();
    put("workspace/a\n[FILE] fake", "x");
    expect((await call("list_directory", { path: "/workspace/" })).text).toBe("[FILE] a\\n[FILE] fake");
  });

  it("should refuse edits without any", async () => {
    const { call, put } = kitOf();
    put("workspace/a", "x");
    expect(await call("edit_file", { path: "/workspace/a", edits: [] })).toMatchObject({ type: "InvalidInput" });
  });

  it("should refuse what the namespaces refuse", async () => {
    const { call, put } = kitOf();
    put("userinput/a", "x");
    put("internal/a", "x");
    const edits = [{ oldText: "x", newText: "y" }];
    for (const [name, input] of [
      ["write_file", { path: "/userinput/a", content: "" }],
      ["edit_file", { path: "/userinput/a", edits }],
      ["delete_file", { path: "/userinput/a" }],
      ["delete_file", { path: "/internal/a" }],
    ] as const) {
      expect(await call(name, input)).toMatchObject({ status: "error", type: "AccessDenied" });
    }
    expect((await call("write_file", { path: "/internal/a", content: "y" })).status).toBe("ok");
  });
});
