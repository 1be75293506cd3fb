import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Every file below a folder with its text. */
export function filesOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

/** Whether the tests in a folder pass, all files in one process: `node --test` takes one for each. */
export function testsPass(folder: string): boolean {
  // Node's test runner does nothing inside another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const files = Object.keys(filesOf(folder)).filter((path) => path.endsWith(".test.js"));
  const program = files.map((path) => `await import("./${path}");`).join("\n");
  const input = ["--input-type=module", "--eval", program];
  return files.length > 0 && spawnSync(process.execPath, input, { cwd: folder, env }).status === 0;
}
