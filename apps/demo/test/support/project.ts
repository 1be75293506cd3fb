import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Session, type SessionOptions } from "toolglot/parts";
import { onTestFinished } from "vitest";
import { sourceFolder } from "../../src/data/paths.ts";
import type { DemoStore } from "../../src/data/store.ts";
import { demoData } from "../../src/open-demo.ts";

/** A project of its own for one test, and a session on it. */
export interface TestProject {
  folder: string;
  session: Session;
  read(path: string): string;
  /** Every file with its text. */
  files(): Record<string, string>;
  /** Whether the project's tests pass, run without any of our code. */
  passes(): boolean;
}

/** The demo's project, with files changed (`undefined`: taken away), or a project of these files alone. */
export function testProject(
  store: DemoStore,
  changed: Record<string, string | undefined> = {},
  options: { empty?: boolean; session?: SessionOptions } = {},
): TestProject {
  const data = mkdtempSync(join(tmpdir(), "demo project #%?-"));
  const folder = join(data, "project");
  if (!options.empty) cpSync(join(sourceFolder(), "project"), folder, { recursive: true });
  for (const [path, text] of Object.entries(changed)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
  }
  const session = new Session({ folder: data, modules: [{ ...demoData(store, data), from: "demo" }] }, options.session);
  onTestFinished(async () => {
    await session.dispose();
    rmSync(data, { recursive: true, force: true });
  });
  return {
    folder,
    session,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    files: () => filesOf(folder),
    passes: () => testsPass(folder),
  };
}

/** Every file below a folder with its text. */
function filesOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

/** Whether the tests in a folder pass, all files in one process: `node --test` takes one for each. */
function testsPass(folder: string): boolean {
  // Node's test runner does nothing inside another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const files = Object.keys(filesOf(folder)).filter((path) => path.endsWith(".test.js"));
  const program = files.map((path) => `await import("./${path}");`).join("\n");
  const input = ["--input-type=module", "--eval", program];
  return files.length > 0 && spawnSync(process.execPath, input, { cwd: folder, env }).status === 0;
}
