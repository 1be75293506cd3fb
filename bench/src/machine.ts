import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { commitLine } from "@toolglot/internal/testing/pages";
import { threadTime } from "./measure.ts";

/** What figures depend on: machine, versions, commit, date, and what else was running. */
export function describeMachine(root: string): string[] {
  const [processor] = cpus();
  return [
    `Processor: ${processor?.model.trim() ?? "unknown"}, ${cpus().length} cores; ${Math.round(totalmem() / 2 ** 30)} GB; load ${loadavg()[0]?.toFixed(2)} when it ended`,
    `Node ${process.version} (V8 ${process.versions.v8}), ${process.platform} ${process.arch}`,
    commitLine(root, "packages", "bench"),
    threadTime
      ? "Processor time is that of the main thread"
      : "Processor time is that of the whole process, V8's helper threads (garbage collection, compiler) included",
  ];
}

/** Works in a new folder, and removes it. */
export async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
