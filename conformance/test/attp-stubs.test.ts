import { readFileSync } from "node:fs";
import { renderPythonStubs } from "@toolglot/attp";
import type { ToolDefinition } from "@toolglot/core";
import { expect, it } from "vitest";
import { type ExpectedLine, missingLines } from "../src/lines.ts";

interface StubVector {
  name: string;
  spec: string;
  tools: ToolDefinition[];
  lines: ExpectedLine[];
  /** How many different function names there have to be. */
  distinctNames?: number;
}

const file = new URL("../stubs/python.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: StubVector[] };

it.each(vectors)("renders Python stubs: $name", ({ tools, lines, distinctNames }) => {
  const text = renderPythonStubs(tools);
  expect(missingLines(text, lines), text).toEqual([]);
  const names = [...text.matchAll(/^def (\w+)\(/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(distinctNames ?? tools.length);
});
