import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { DriverName } from "../src/index.ts";

/** The bindings that this runtime has. */
export const drivers: DriverName[] = process.getBuiltinModule("node:sqlite") ? ["libsql", "node:sqlite"] : ["libsql"];

const folder = mkdtempSync(join(tmpdir(), "toolglot-sqlite-"));
let count = 0;

// libsql closes a file when its statements are collected, which may be after the store was closed.
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The path of a file that isn't there yet. */
export function newFile(): string {
  count += 1;
  return join(folder, `${count}.db`);
}
