import type { ToolCall } from "@toolglot/core";
import { expect, it } from "vitest";
import { stagesOf } from "../../src/executor/stages.ts";

const calls = (...names: string[]): ToolCall[] =>
  names.map((name, index) => ({ id: String(index), name, input: {}, protocol: "toolsxml" }));

const shape = (...names: string[]): string[] =>
  stagesOf(calls(...names)).map(({ kind, indexes }) => `${kind} ${indexes.join(",")}`);

it("should run reads and foreign calls beside their neighbours", () => {
  expect(shape("read", "mcp", "search_docs", "read")).toEqual(["side-by-side 0,1,2,3"]);
});

it("should run each shell call by itself, in the document's order", () => {
  expect(shape("command", "input", "ctrl", "command")).toEqual(["shell 0", "shell 1", "shell 2", "shell 3"]);
});

it("should make all edits of a block together, where the first of them stands", () => {
  expect(shape("read", "edit", "command", "edit", "read")).toEqual([
    "side-by-side 0",
    "edits 1,3",
    "shell 2",
    "side-by-side 4",
  ]);
});

it("should let what follows a shell call or an edit wait for it", () => {
  expect(shape("read", "command", "read", "read", "edit", "read")).toEqual([
    "side-by-side 0",
    "shell 1",
    "side-by-side 2,3",
    "edits 4",
    "side-by-side 5",
  ]);
});

it("should run nothing for nothing", () => {
  expect(stagesOf([])).toEqual([]);
});
