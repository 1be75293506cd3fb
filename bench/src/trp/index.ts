import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { httpTransport } from "@toolglot/trp-client/node";
import { inFolder } from "../machine.ts";
import { atMost, type Findings, ms, type Run, together } from "../report.ts";
import { bareStatements } from "./bare.ts";
import { rawWrite, stores } from "./claims.ts";
import { calling, inProcess, serve } from "./clients.ts";
import { bothLoads, crowd, faster, loadTable, underLoad } from "./load.ts";
import { echo, mcpInMemory, mcpOverHttp } from "./peers.ts";
import { writeCapability } from "./work.ts";

/** Measures what a call through the router costs: in process, over HTTP, and where each write is durable. */
export const measureTrp = ({ progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    progress("in process");
    const near = await measureInProcess();
    progress("over HTTP");
    const http = await measureHttp(folder);
    progress("durable");
    const durable = await measureDurable(folder);
    return together(near, http, durable, await measureGaps(folder));
  });

async function measureInProcess(): Promise<Findings> {
  const own = inProcess("TRP in process, memory store");
  const mcp = await mcpInMemory();
  try {
    const loads = await bothLoads([own, mcp]);
    const note =
      "A read-only call from the client through the router, on a memory store, to a function and back, with session, order, catalog, schema, policy, audit; beside the official MCP client and server. Callers ask again as soon as they are answered.";
    return {
      bars: faster(`${own.name}, beside ${mcp.name}, a read`, own, mcp, 2, loads),
      tables: [loadTable("Reads in process", note, loads, mcp)],
    };
  } finally {
    await Promise.all([own.close(), mcp.close()]);
  }
}

async function measureHttp(folder: string): Promise<Findings> {
  const kept = serve("trp", join(folder, "http.db"));
  const servers = await Promise.all([serve("echo"), serve("trp"), kept, serve("mcp")]);
  const [bare, trp, durable, mcp] = servers;
  const echoed = echo(bare.url);
  const own = calling("TRP over HTTP, memory store", httpTransport({ url: trp.url }));
  const onDisk = calling("TRP over HTTP, SQLite, FULL", httpTransport({ url: durable.url }));
  const theirs = await mcpOverHttp(mcp.url);
  const subjects = [echoed, own, onDisk, theirs];
  try {
    const loads = await bothLoads(subjects);
    const note =
      "The same read; client and server are processes on two cores. Answers are JSON, one for each request: nothing is streamed. Who has effects needs a durable store, so the router is there with either. The echo is `node:http` at both ends, a body as long as a frame, JSON parsed and written, and nothing else.";
    const mcpName = `${theirs.name} without sessions`;
    return {
      bars: [
        ...faster(`${own.name}, beside a ${echoed.name}, a read`, own, echoed, 0.5, loads),
        ...faster(`${own.name}, beside ${mcpName}, a read`, own, theirs, 3, loads),
        ...faster(`${onDisk.name}, beside ${mcpName}, a read`, onDisk, theirs, 3, loads),
      ],
      tables: [loadTable("Reads over HTTP", note, loads, echoed)],
    };
  } finally {
    await Promise.all(subjects.map((one) => one.close()));
    for (const server of servers) await server.stop();
  }
}

/** How long a router that writes keeps everything else in its process waiting. */
async function measureGaps(folder: string): Promise<Findings> {
  const server = await serve("trp", join(folder, "gaps.db"));
  const writes = calling("keyed writes over HTTP", httpTransport({ url: server.url }), writeCapability);
  try {
    await server.gaps();
    await underLoad([writes], 1, { rounds: 1 });
    const idle = await server.gaps();
    await underLoad([writes], crowd, { rounds: 1, windowMs: 200 });
    await server.gaps();
    await underLoad([writes], crowd, { warmMs: 0, windowMs: 1_000 });
    const busy = await server.gaps();
    const rows = [[1, idle] as const, [crowd, busy] as const].map(([callers, { p50, p99, max }]) => [
      writes.name,
      String(callers),
      ms(p50),
      ms(p99),
      ms(max),
    ]);
    const what = `gaps in the event loop of a router with ${crowd} keyed writers on SQLite, FULL`;
    return {
      bars: [{ ...atMost(what, busy.p99, 50, " ms", ` (at most ${ms(busy.max)})`), limit: "p99 < 50 ms" }],
      tables: [
        {
          title: "Gaps in the event loop",
          note: "How far apart the ticks of a timer of 1 ms came in the router's process (`monitorEventLoopDelay`), while callers in this process wrote with keys over HTTP, to a store on SQLite that has a thread of its own.",
          columns: ["", "callers", "p50", "p99", "longest"],
          rows,
        },
      ],
    };
  } finally {
    await writes.close();
    await server.stop();
  }
}

// libsql on every runtime, so that all rows are of one binding.
const driver = "libsql";

/** Keyed writes through client and router on a store of its own, each a new operation. */
const writing = async (file: string, nameOf: (store: string) => string) => {
  const store = await openSqlite({ file, driver });
  return { ...inProcess(nameOf(store.name), store, writeCapability), storeName: store.name };
};

/** The rows of keyed writes by statements alone: see {@link bareStatements}. */
async function bareWrites(folder: string): Promise<ReturnType<typeof bareStatements>> {
  const file = join(folder, "bare.db");
  const sample = await writing(file, () => "sample");
  await sample.call();
  await sample.close();
  return bareStatements("the same rows by bare statements", file);
}

async function measureDurable(folder: string): Promise<Findings> {
  const claims = await stores(folder);
  const raw = rawWrite(folder);
  const writes = await writing(join(folder, "router.db"), (store) => `keyed write, ${store}, FULL`);
  const bare = await bareWrites(folder);
  try {
    const alone = await underLoad([raw], 1);
    const claimLoads = await bothLoads(claims);
    const loads = await bothLoads([writes, bare]);
    const what = `keyed writes on ${writes.storeName}, FULL, beside ${bare.name}`;
    return {
      bars: faster(what, writes, bare, 0.5, loads),
      tables: [
        loadTable(
          "Operations in the store",
          `Claim with start, then finish: two transactions. Every commit is on disk before it is reported (SQLite: WAL, \`synchronous=FULL\`); commits of callers that wait at the same time are made together. Driver: ${writes.storeName}.`,
          claimLoads,
        ),
        loadTable(
          "A durable write without a database",
          "One after another: below this, nothing that is on disk can be.",
          [alone],
        ),
        loadTable(
          "Keyed writes",
          "Client and router in one process, the whole path: admission, claim, approval check, audit, effect, outcome, answer. Two commits each, admission with start and outcome with answer, which callers that wait at the same time share. Below them what the binding needs for the rows alone: the same columns with texts of the same length, in the same groups and commits, with nothing read, decided, hashed or put into JSON.",
          loads,
          bare,
        ),
      ],
    };
  } finally {
    await Promise.all([...claims, raw, writes, bare].map((one) => one.close()));
  }
}
