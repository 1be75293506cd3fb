import { readFileSync } from "node:fs";
import { formatResults } from "@toolglot/attp";
import type { ToolResult } from "@toolglot/core";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";

interface ResultVector {
  name: string;
  spec: string;
  result: ToolResult;
  expect: {
    status: "success" | "error";
    /** What the JSON in `result` says. */
    value?: unknown;
    /** The value holds markers: it may be written so that they cannot act, and is not compared. */
    neutralised?: true;
    stdout?: string[];
    errorType?: string;
    message?: string;
    line?: number;
    contains?: string[];
    absent?: string[];
  };
}

const file = new URL("../results/attp.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: ResultVector[] };

it.each(vectors)("writes a result for the model: $name", ({ result, expect: wanted }) => {
  const text = formatResults([result]);
  const { tool_result: written } = parseToml(text) as { tool_result: Record<string, unknown> };
  expect(written.status).toBe(wanted.status);
  if (wanted.status === "success") {
    expect(typeof written.result).toBe("string");
    if (!wanted.neutralised) expect(JSON.parse(written.result as string)).toEqual(wanted.value);
  }
  for (const line of wanted.stdout ?? []) expect(written.stdout).toContain(line);
  if (wanted.errorType !== undefined) expect(written.error_type).toBe(wanted.errorType);
  if (wanted.message !== undefined) expect(written.message).toBe(wanted.message);
  if (wanted.line !== undefined) expect(written.line).toBe(wanted.line);
  for (const part of wanted.contains ?? []) expect(text).toContain(part);
  for (const key of wanted.absent ?? []) expect(written).not.toHaveProperty(key);
});
