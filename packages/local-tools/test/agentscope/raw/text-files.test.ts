import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { contentText } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { insertTextFile, viewTextFile, writeTextFile } from "../../../src/agentscope/raw/index.ts";
import { call, temporaryFolder, textOf } from "./call.ts";

function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), "t.txt");
  writeFileSync(path, content);
  return path;
}

const ten = Array.from({ length: 10 }, (_, n) => `${n + 1}\n`).join("");

describe("view_text_file", () => {
  it("should show a file with line numbers", async () => {
    const path = fileWith(ten);
    expect(await textOf(viewTextFile, { file_path: path })).toBe(
      `The content of ${path}:\n\`\`\`\n1: 1\n2: 2\n3: 3\n4: 4\n5: 5\n6: 6\n7: 7\n8: 8\n9: 9\n10: 10\n\`\`\``,
    );
  });

  it.each<[number[], string]>([
    [[3, 5], "3: 3\n4: 4\n5: 5\n"],
    [[8, 13], "8: 8\n9: 9\n10: 10\n"],
    [[1, 1], "1: 1\n"],
    [[-2, -1], "9: 9\n10: 10\n"],
    [[-3, -2], "8: 8\n9: 9\n"],
    [[9, -1], "9: 9\n10: 10\n"],
    [[-2, 10], "9: 9\n10: 10\n"],
    [[-100, -9], "1: 1\n2: 2\n"],
  ])("should show the range %j", async (ranges, expected) => {
    const path = fileWith(ten);
    expect(await textOf(viewTextFile, { file_path: path, ranges })).toBe(
      `The content of ${path} in [${ranges.join(", ")}] lines:\n\`\`\`\n${expected}\`\`\``,
    );
  });

  it("should show the last hundred lines with [-100, -1], or all there are", async () => {
    const long = fileWith(Array.from({ length: 250 }, (_, n) => `l${n + 1}\n`).join(""));
    const text = await textOf(viewTextFile, { file_path: long, ranges: [-100, -1] });
    expect(text).toContain("```\n151: l151\n");
    expect(text.endsWith("250: l250\n```")).toBe(true);
    expect(await textOf(viewTextFile, { file_path: fileWith("a\nb"), ranges: [-100, -1] })).toContain(
      "```\n1: a\n2: b```",
    );
  });

  it.each<[unknown, string]>([
    [
      [11, 13],
      "InvalidArgumentError: The range '[11, 13]' is out of bounds for the file '{path}', which has only 10 lines.",
    ],
    [
      [-20, -15],
      "InvalidArgumentError: The range '[-20, -15]' is out of bounds for the file '{path}', which has only 10 lines.",
    ],
    [[5, 3], "InvalidArgumentError: The start line is greater than the end line in the given range [5, 3]."],
    [[-1, -3], "InvalidArgumentError: The start line is greater than the end line in the given range [-1, -3]."],
    [[-1, 3], "InvalidArgumentError: The start line is greater than the end line in the given range [-1, 3]."],
    [[1, 2, 3], "InvalidArgumentError: Invalid range format. Expected a list of two integers, but got [1, 2, 3]."],
    [[], "InvalidArgumentError: Invalid range format. Expected a list of two integers, but got []."],
    [
      [0, 3],
      "InvalidArgumentError: There is no line 0 in the given range [0, 3]: lines are counted from 1, or from the end with -1.",
    ],
  ])("should refuse the range %j", async (ranges, expected) => {
    const path = fileWith(ten);
    const { status, content, error } = await call(viewTextFile, { file_path: path, ranges });
    expect(contentText(content)).toBe(expected.replace("{path}", path));
    expect([status, error?.type]).toEqual(["error", "InvalidRange"]);
  });

  it("should say what is not there, and what is no file", async () => {
    expect(await textOf(viewTextFile, { file_path: "non_existent_file.txt" })).toBe(
      "Error: The file non_existent_file.txt does not exist.",
    );
    expect(await textOf(viewTextFile, { file_path: "/" })).toBe("Error: The path / is not a file.");
  });

  it("should know the home directory by its sign", async () => {
    const text = await textOf(viewTextFile, { file_path: "~/.toglot-no-such-file" });
    expect(text).toBe(`Error: The file ${join(homedir(), ".toglot-no-such-file")} does not exist.`);
    expect(await textOf(viewTextFile, { file_path: "~" })).toBe(`Error: The path ${homedir()} is not a file.`);
  });

  it("should refuse what is no UTF-8 text", async () => {
    const latin = await call(viewTextFile, { file_path: fileWith(new Uint8Array([0x63, 0xe9])) });
    expect([latin.status, latin.error?.type, latin.metadata?.dangerous_io]).toEqual(["error", "NotText", true]);
    expect((await call(viewTextFile, { file_path: fileWith(new Uint8Array([0x63, 0])) })).error?.type).toBe(
      "BinaryFile",
    );
  });

  it("should cut what is too much", async () => {
    const text = await textOf(viewTextFile, { file_path: fileWith(`${"x".repeat(999)}\n`.repeat(300)) });
    expect(text.length).toBeLessThan(102_000);
    expect(text).toContain("[cut: 200 lines left out, from line 101 on]");
  });
});

describe("write_text_file", () => {
  it("should create, overwrite and replace lines", async () => {
    const path = join(temporaryFolder(), "t.txt");
    expect(await textOf(writeTextFile, { file_path: path, content: "a\nb\nc\n", ranges: null })).toBe(
      `Create and write ${path} successfully.`,
    );
    expect(await textOf(writeTextFile, { file_path: path, content: "d\n", ranges: [2, 2] })).toBe(
      `Write ${path} successfully. The new content snippet:\n\`\`\`\n1: a\n2: d\n3: c\n\`\`\``,
    );
    expect(await textOf(writeTextFile, { file_path: path, content: "all" })).toBe(`Overwrite ${path} successfully.`);
    expect(readFileSync(path, "utf8")).toBe("all");
  });

  it("should say that a range is ignored for a new file", async () => {
    const path = join(temporaryFolder(), "t.txt");
    expect(await textOf(writeTextFile, { file_path: path, content: "x", ranges: [1, 2] })).toBe(
      `Create and write ${path} successfully. The ranges [1, 2] is ignored because the file does not exist.`,
    );
  });

  it.each<[string, string, number[], string]>([
    ["a\nb\nc\n", "d", [2, 2], "a\nd\nc\n"],
    ["a\nb\nc\n", "d\ne", [2, 3], "a\nd\ne\n"],
    ["a\nb\nc", "d", [3, 3], "a\nb\nd"],
    ["a\nb\nc\n", "", [2, 2], "a\nc\n"],
    ["a\nb\nc\n", "x", [-1, -1], "a\nb\nx\n"],
    ["a\nb\nc\n", "x\n", [-2, 99], "a\nx\n"],
    ["a\r\nb\r\nc\r\n", "x\ny", [2, 2], "a\r\nx\r\ny\r\nc\r\n"],
    ["\ufeffa\nb\n", "x", [1, 1], "\ufeffx\nb\n"],
  ])("should make of %j with %j in %j", async (before, content, ranges, after) => {
    const path = fileWith(before);
    expect((await call(writeTextFile, { file_path: path, content, ranges })).status).toBe("ok");
    expect(readFileSync(path, "utf8")).toBe(after);
  });

  it("should refuse ranges that make no sense, and change nothing", async () => {
    const path = fileWith("a\nb\n");
    for (const ranges of [[3, 4], [2, 1], [1], [0, 1]]) {
      const { status, error } = await call(writeTextFile, { file_path: path, content: "x", ranges });
      expect([status, error?.type]).toEqual(["error", "InvalidRange"]);
    }
    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
  });

  it("should keep mode and link, and leave nothing behind", async () => {
    const path = fileWith("#!/bin/sh\n");
    const folder = join(path, "..");
    chmodSync(path, 0o750);
    symlinkSync("t.txt", join(folder, "link"));
    await call(writeTextFile, { file_path: join(folder, "link"), content: "new\n" });
    expect(readFileSync(path, "utf8")).toBe("new\n");
    expect(statSync(path).mode & 0o777).toBe(0o750);
    expect(readdirSync(folder).sort()).toEqual(["link", "t.txt"]);
  });

  it("should refuse to write where a link leads to nothing", async () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, "none"), join(folder, "link"));
    expect((await call(writeTextFile, { file_path: join(folder, "link"), content: "x" })).status).toBe("error");
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  it("should overwrite what is no text, but replace no lines of it", async () => {
    const path = fileWith(new Uint8Array([0xff, 0, 1]));
    expect((await call(writeTextFile, { file_path: path, content: "x", ranges: [1, 1] })).error?.type).toBe(
      "BinaryFile",
    );
    expect((await call(writeTextFile, { file_path: path, content: "x" })).status).toBe("ok");
    expect(readFileSync(path, "utf8")).toBe("x");
  });
});

describe("insert_text_file", () => {
  it("should do as AgentScope's does, step by step", async () => {
    const path = fileWith(Array.from({ length: 50 }, (_, n) => String(n)).join("\n"));
    expect(await textOf(insertTextFile, { file_path: path, content: "d", line_number: 1 })).toBe(
      `Insert content into ${path} at line 1 successfully. The new content between lines 1-7 is:\n\`\`\`\n1: d\n2: 0\n3: 1\n4: 2\n5: 3\n6: 4\n7: 5\n\`\`\``,
    );
    expect(await textOf(insertTextFile, { file_path: path, content: "e", line_number: 25 })).toContain(
      "between lines 20-31 is:\n```\n20: 18\n21: 19\n22: 20\n23: 21\n24: 22\n25: e\n26: 23\n",
    );
    const many = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].join("\n");
    expect(await textOf(insertTextFile, { file_path: path, content: many, line_number: 25 })).toContain(
      "between lines 20-40 is:\n```\n20: 18\n",
    );
    expect(await textOf(insertTextFile, { file_path: path, content: "The\nlast\nline", line_number: 63 })).toBe(
      `Insert content into ${path} at line 63 successfully. The new content between lines 58-65 is:\n\`\`\`\n58: 45\n59: 46\n60: 47\n61: 48\n62: 49\n63: The\n64: last\n65: line\`\`\``,
    );
    expect(await textOf(insertTextFile, { file_path: path, content: "x", line_number: 100 })).toBe(
      "InvalidArgumentsError: The given line_number (100) is not in the valid range [1, 66].",
    );
  });

  it.each<[string, string, number, string]>([
    ["a\nb\n", "x", 2, "a\nx\nb\n"],
    ["a\nb\n", "x\n", 2, "a\nx\nb\n"],
    ["a\nb\n", "x", 3, "a\nb\nx\n"],
    ["a\nb", "x", 3, "a\nb\nx"],
    ["", "x", 1, "x"],
    ["a\r\nb\r\n", "x\ny", 2, "a\r\nx\r\ny\r\nb\r\n"],
    ["\ufeffa\n", "x", 1, "\ufeffx\na\n"],
  ])("should make of %j with %j at line %i", async (before, content, line_number, after) => {
    const path = fileWith(before);
    expect((await call(insertTextFile, { file_path: path, content, line_number })).status).toBe("ok");
    expect(readFileSync(path, "utf8")).toBe(after);
  });

  it("should refuse lines and files that are not there", async () => {
    const path = fileWith("a\n");
    for (const line_number of [0, -1]) {
      expect(await textOf(insertTextFile, { file_path: path, content: "x", line_number })).toBe(
        `InvalidArgumentsError: The line number ${line_number} is invalid. `,
      );
    }
    expect((await call(insertTextFile, { file_path: path, content: "x", line_number: 3 })).error?.type).toBe(
      "InvalidRange",
    );
    expect((await call(insertTextFile, { file_path: `${path}.none`, content: "x", line_number: 1 })).error?.type).toBe(
      "NotFound",
    );
    mkdirSync(`${path}.d`);
    expect((await call(insertTextFile, { file_path: `${path}.d`, content: "x", line_number: 1 })).error?.type).toBe(
      "NotAFile",
    );
    expect(readFileSync(path, "utf8")).toBe("a\n");
  });
});
