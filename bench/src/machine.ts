import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { threadTime } from "./measure.ts";

/** What figures depend on: machine, versions, commit, date, and what else was running. */
export function describeMachine(root: string): string[] {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "packages", "bench").split("\n").filter(Boolean).length;
  const [processor] = cpus();
  return [
    `Processor: ${processor?.model.trim() ?? "unknown"}, ${cpus().length} cores; ${Math.round(totalmem() / 2 ** 30)} GB; load ${loadavg()[0]?.toFixed(2)} when it ended`,
    `Node ${process.version} (V8 ${process.versions.v8}), ${process.platform} ${process.arch}`,
    `Commit ${git("rev-parse", "--short", "HEAD")}${changed > 0 ? ` with ${changed} changed files` : ""}, ${new Date().toISOString().slice(0, 10)}`,
    threadTime
      ? "Processor time is that of the main thread"
      : "Processor time is that of the whole process, V8's helper threads (garbage collection, compiler) included",
  ];
}
