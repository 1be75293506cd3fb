import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { createClient } from "@toolglot/trp-client";
import { httpTransport } from "@toolglot/trp-client/node";
import { median } from "../measure.ts";
import { type Findings, figure, ratio } from "../report.ts";
import { bareStatements } from "./bare.ts";
import { calling, crowd, serve, writing } from "./index.ts";
import { type Called, type Load, underLoad } from "./load.ts";
import { type Shares, shares, threadTimes } from "./threads.ts";
import { writeCapability } from "./work.ts";

/** Who writes, and the process whose threads do the work. */
interface Subject extends Called {
  pid: number;
}

interface Window extends Pick<Load, "perSecond" | "p50"> {
  /** Per call. */
  took: Shares;
}

/** Measures where the processor time of a keyed write goes: to the router's thread, the store's, or V8's own. */
export async function measureWrites(progress: (text: string) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  const driver = "libsql";
  const sample = writing("sample", await openSqlite({ file: join(folder, "bare.db"), driver }));
  await sample.call();
  await sample.close();
  const own = writing("in process", await openSqlite({ file: join(folder, "own.db"), driver }));
  const server = await serve("trp", join(folder, "http.db"));
  const client = createClient({ transport: httpTransport({ url: server.url }), agentId: "bench" });
  const http = calling("over HTTP, the router's process", client, writeCapability);
  const bare = bareStatements("the same rows by bare statements", join(folder, "bare.db"));
  const { pid } = process;
  const subjects: Subject[] = [
    { ...bare, pid },
    { ...own, pid },
    { ...http, pid: server.pid },
  ];
  try {
    const rows: string[][] = [];
    for (const callers of [1, crowd]) {
      progress(`writes: ${callers} callers`);
      const found = await inTurn(subjects, callers);
      const [base] = found as [Window];
      for (const [index, { perSecond, p50, took }] of found.entries()) {
        const times = [took.main, took.store, took.rest].map((time) => `${figure(time)} µs`);
        const name = subjects[index]?.name as string;
        rows.push([
          name,
          String(callers),
          figure(perSecond),
          ratio(perSecond, base.perSecond),
          `${figure(p50)} ms`,
          ...times,
        ]);
      }
    }
    const columns = [
      "",
      "callers",
      "calls/s",
      "beside bare",
      "p50",
      "main thread",
      "store's thread",
      "collector, compiler",
    ];
    const note = "Keyed writes on SQLite (libsql), FULL. Processor time per call, by the threads of one process.";
    return { bars: [], tables: [{ title: "Keyed writes by thread", note, columns, rows }] };
  } finally {
    await Promise.all([own.close(), http.close(), bare.close()]);
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median of each, window by window in turn; the first of each doesn't count. */
async function inTurn(subjects: readonly Subject[], callers: number): Promise<Window[]> {
  const windows: Window[][] = subjects.map(() => []);
  for (let round = 0; round <= 5; round += 1) {
    for (const [index, { name, call, pid }] of subjects.entries()) {
      let calls = 0;
      const counted: Called = {
        name,
        call: async () => {
          await call();
          calls += 1;
        },
      };
      const before = threadTimes(pid);
      const found = await underLoad([counted], callers, { rounds: 1, warmMs: 0, windowMs: round === 0 ? 1_200 : 600 });
      const { main, store, rest } = shares(pid, before, threadTimes(pid));
      const { perSecond, p50 } = found.get(counted) as Load;
      const took = { main: main / calls, store: store / calls, rest: rest / calls };
      if (round > 0) windows[index]?.push({ perSecond, p50, took });
    }
  }
  const middle = (own: readonly Window[], of: (window: Window) => number): number => median(own.map(of));
  return windows.map((own) => ({
    perSecond: middle(own, (one) => one.perSecond),
    p50: middle(own, (one) => one.p50),
    took: {
      main: middle(own, (one) => one.took.main),
      store: middle(own, (one) => one.took.store),
      rest: middle(own, (one) => one.took.rest),
    },
  }));
}
