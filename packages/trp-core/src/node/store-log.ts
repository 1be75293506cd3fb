import type { RouterEvent, RouterListener } from "../events/types.ts";

/** How long the same fault is not logged again. Milliseconds. */
const quietMs = 10_000;

/** A line for each fault of the store; one that comes again and again is counted. */
export function storeLog(log: (line: string) => void): RouterListener {
  const known = new Map<string, { at: number; more: number }>();
  return (event: RouterEvent) => {
    if (event.type !== "store.failed") return;
    const { code, operation, message } = event;
    const now = performance.now();
    const before = known.get(code);
    if (before !== undefined && now - before.at < quietMs) {
      before.more += 1;
      return;
    }
    const more = before === undefined || before.more === 0 ? "" : ` (and ${before.more} more since)`;
    known.set(code, { at: now, more: 0 });
    log(`toolglot router: the store failed at ${operation}: ${code} ${message}${more}`);
  };
}
