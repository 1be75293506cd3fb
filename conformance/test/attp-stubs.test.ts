import { readFileSync } from "node:fs";
import { renderPythonStubs } from "@toolglot/attp";
import type { ToolDefinition } from "@toolglot/core";
import { renderTypeScriptDeclarations } from "@toolglot/core/stubs";
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

function read(file: string): StubVector[] {
  const text = readFileSync(new URL(`../stubs/${file}`, import.meta.url), "utf8");
  return (JSON.parse(text) as { vectors: StubVector[] }).vectors;
}

it.each(read("python.json"))("renders Python stubs: $name", ({ tools, lines, distinctNames }) => {
  const text = renderPythonStubs(tools);
  expect(missingLines(text, lines), text).toEqual([]);
  const names = [...text.matchAll(/^def (\w+)\(/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(distinctNames ?? tools.length);
});

it.each(read("typescript.json"))("renders TypeScript declarations: $name", ({ tools, lines, distinctNames }) => {
  const text = renderTypeScriptDeclarations(tools);
  expect(missingLines(text, lines), text).toEqual([]);
  const names = [...text.matchAll(/^declare function ([\w$]+)\(/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(distinctNames ?? tools.length);
});
