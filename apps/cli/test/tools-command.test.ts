import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runDemo } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-tools-"));

const tools = (command: string, ...args: string[]) => runDemo(["tools", command, ...args, "--data-dir", folder]);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should list every tool with its parameters, also in the shapes of providers", async () => {
  const { code, stdout } = await tools("list");
  expect(code).toBe(0);
  expect(stdout).toContain("search_documents(query, top_k?) · reads only\n");
  expect(stdout).toContain("export_table(table) · in the background\n");
  for (const shape of ["openai", "anthropic", "gemini", "mcp", "core"])
    expect(JSON.parse((await tools("list", "--shape", shape)).stdout)).toHaveLength(6);
});

it("should call a tool, with its input validated and its chunks shown", async () => {
  expect(JSON.parse((await tools("call", "query_sql", '{"sql":"SELECT 1 AS n","limit":"5"}')).stdout)).toMatchObject({
    rows: [{ n: 1 }],
  });
  const { stdout } = await tools("call", "export_table", '{"table":"orders"}', "--json");
  const lines = stdout.trimEnd().split("\n");
  const responses = lines.map(
    (line) => JSON.parse(line) as { isLast: boolean; data: { file?: string; rows?: number } },
  );
  expect(responses.filter(({ isLast }) => isLast)).toHaveLength(1);
  const { file = "", rows = 0 } = responses.at(-1)?.data ?? {};
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(rows + 1);
});

it("should say what is wrong, and ask before what asks first", async () => {
  expect((await tools("call", "query_sqll")).stdout).toContain('Did you mean "query_sql"?');
  expect((await tools("call", "fetch_document")).stdout).toContain("document_id: missing");
  expect((await tools("call", "query_sql", "{")).code).toBe(2);
  expect((await tools("call", "delete_record", "{}")).code).toBe(4);
  expect((await tools("nothing")).code).toBe(2);
});
