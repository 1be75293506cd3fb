import { nearest } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { matchName, normalizeKey } from "../src/names.ts";

it.each([
  ["File-Path 1", "file_path_1"],
  ["filePath_1", "file_path_1"],
  ["File Path_1", "file_path_1"],
  ["CONTENT1", "content1"],
  ["  Command_1 ", "command_1"],
  ["URLPath", "urlpath"],
  ["getURL", "get_url"],
  ["base64Data", "base64_data"],
  ["MD5SUM", "md5sum"],
  ["sha_256", "sha_256"],
  ["sha256", "sha256"],
  ["__proto__", "proto"],
  ["**file--path**", "file_path"],
  ["`a . b`", "a_b"],
  ["文件 路径", "文件_路径"],
  ["größeMax", "größe_max"],
  ["cafe\u0301_1", "café_1"],
  ["🔧\ufe0fname", "name"],
  ["नाम", "नाम"],
  ["---", ""],
  ["", ""],
])("should normalise %j to %j", (key, normal) => {
  expect(normalizeKey(key)).toBe(normal);
});

it("should normalise a normalised key to itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), (key) => {
      expect(normalizeKey(normalizeKey(key))).toBe(normalizeKey(key));
      expect(normalizeKey(key)).not.toMatch(/^_|_$|__/);
    }),
    { numRuns: 2000 },
  );
});

it("should find a name as written, then normalised, then without underscores", () => {
  expect(matchName("file_path", ["filePath", "file_path"])).toEqual({ match: "file_path" });
  expect(matchName("filePath", ["filePath", "file_path"])).toEqual({ match: "filePath" });
  expect(matchName("file-path", ["filePath"])).toEqual({ match: "filePath" });
  expect(matchName("file_path", ["file-path", "other"])).toEqual({ match: "file-path" });
  expect(matchName("urlpath", ["URL_Path"])).toEqual({ match: "URL_Path" });
  expect(matchName("filepath", ["filePath"])).toEqual({ match: "filePath" });
  expect(matchName("file_write", ["File.Write", "File.Append"])).toEqual({ match: "File.Write" });
  expect(matchName("path", ["file_path"])).toBeUndefined();
  expect(matchName("x", [])).toBeUndefined();
  expect(matchName("--", ["**"])).toBeUndefined();
});

it("should list the candidates when a name could be several", () => {
  expect(matchName("file-path", ["filePath", "file_path"])).toEqual({ candidates: ["filePath", "file_path"] });
  expect(matchName("filepath", ["fileP_ath", "filePath", "x"])).toEqual({ candidates: ["fileP_ath", "filePath"] });
  // A normalised match comes before one without underscores.
  expect(matchName("file_path", ["filePath", "filepath"])).toEqual({ match: "filePath" });
});

it("should find nothing in the prototype", () => {
  for (const name of ["__proto__", "constructor", "toString"]) expect(matchName(name, ["a"])).toBeUndefined();
  expect(matchName("proto", ["__proto__"])).toEqual({ match: "__proto__" });
});

it("should list near names, nearest first", () => {
  const tools = ["File.Write", "File.Append", "Report.Build", "web_search"];
  expect(nearest("File.Wirte", tools)).toEqual(["File.Write"]);
  expect(nearest("write", tools)).toEqual(["File.Write"]);
  expect(nearest("websearch2", tools)).toEqual(["web_search"]);
  expect(nearest("qqqq", tools)).toEqual([]);
  expect(nearest("", tools)).toEqual([]);
  expect(nearest("d", ["a", "D", "dd"])).toEqual(["D"]);
  expect(nearest("paths", ["patch", "path", "paths_"], 2)).toEqual(["paths_", "path"]);
  expect(nearest("x".repeat(1000), ["x".repeat(1000)])).toEqual([]);
});
