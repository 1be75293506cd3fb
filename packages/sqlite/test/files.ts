import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DriverName } from "../src/index.ts";

/** The bindings that this runtime has. */
export const drivers: DriverName[] = process.getBuiltinModule("node:sqlite") ? ["libsql", "node:sqlite"] : ["libsql"];

const folder = mkdtempSync(join(tmpdir(), "toolglot-sqlite-"));
let count = 0;

// Test files share a process. And libsql closes a file when its statements are collected, which may be after the store was closed.
// Vitest ends a process by a signal.
process.once("SIGTERM", () => process.exit());
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The path of a file that isn't there yet. */
export function newFile(): string {
  count += 1;
  return join(folder, `${count}.db`);
}
