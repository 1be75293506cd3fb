import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type DemoStore, openStore } from "../../src/data/store.ts";

/** A data folder of its own for one test. */
export function freshStore(): DemoStore {
  const folder = mkdtempSync(join(tmpdir(), "demo test #%?-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return openStore(folder);
}
