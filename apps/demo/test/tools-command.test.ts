import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "demo-tools-"));

function run(file: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, file), ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

const tools = (command: string, ...args: string[]) =>
  run("apps/demo/dist/main.js", ["tools", command, ...args, "--data-dir", folder]);

beforeAll(() => {
  // Builds what is not built yet.
  expect(run("scripts/demo.mjs", ["--help"]).status).toBe(0);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should list every tool with its parameters, also in the shapes of providers", () => {
  const { status, stdout } = tools("list");
  expect(status).toBe(0);
  expect(stdout).toContain("search_documents(query, top_k?) · reads only\n");
  expect(stdout).toContain("export_table(table) · in the background\n");
  for (const shape of ["openai", "anthropic", "gemini", "mcp", "core"])
    expect(JSON.parse(tools("list", "--shape", shape).stdout)).toHaveLength(6);
});

it("should call a tool, with its input validated and its chunks shown", () => {
  expect(JSON.parse(tools("call", "query_sql", '{"sql":"SELECT 1 AS n","limit":"5"}').stdout)).toMatchObject({
    rows: [{ n: 1 }],
  });
  const lines = tools("call", "export_table", '{"table":"orders"}', "--json").stdout.trimEnd().split("\n");
  const responses = lines.map(
    (line) => JSON.parse(line) as { isLast: boolean; data: { file?: string; rows?: number } },
  );
  expect(responses.filter(({ isLast }) => isLast)).toHaveLength(1);
  const { file = "", rows = 0 } = responses.at(-1)?.data ?? {};
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(rows + 1);
});

it("should say what is wrong, and ask before what asks first", () => {
  expect(tools("call", "query_sqll").stdout).toContain('Did you mean "query_sql"?');
  expect(tools("call", "fetch_document").stdout).toContain("document_id: missing");
  expect(tools("call", "query_sql", "{").status).toBe(2);
  expect(tools("call", "delete_record", "{}").status).toBe(4);
  expect(tools("nothing").status).toBe(2);
});
