import { readdirSync, readFileSync } from "node:fs";
import { parents, statOf } from "../processes.ts";
import type { Queries } from "./pg.ts";

/** Microseconds of processor time of a process so far, all threads of it; 0 when it has ended. */
export function processUs(pid: number | string): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / 1000;
    }, 0);
  } catch {
    return 0;
  }
}

/** Microseconds of processor time of all ended processes that a process had started, as exact as the system's ticks. */
const endedUs = (parent: string): number =>
  (statOf(parent) ?? []).slice(13, 15).reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0);

/**
 * Microseconds of processor time of all processes of a PostgreSQL so far: backends, WAL writer, autovacuum. NaN where the system doesn't
 * say, or the server runs on another machine.
 */
export async function serverMeter(queries: Queries): Promise<() => number> {
  const backend = String((await queries.query("select pg_backend_pid() as pid")).rows[0]?.pid);
  const isHere = process.platform === "linux" && isPostgres(backend);
  const postmaster = isHere ? statOf(backend)?.[1] : undefined;
  if (postmaster === undefined) return () => Number.NaN;
  return () =>
    parents()
      .filter(({ parent }) => parent === postmaster)
      .reduce((sum, { pid }) => sum + processUs(pid), endedUs(postmaster));
}

function isPostgres(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres");
  } catch {
    return false;
  }
}
