import { once } from "@toolglot/core/once";
import { openPostgres } from "@toolglot/postgres";
import { openSqlite } from "@toolglot/sqlite";
import type { RouterStore } from "@toolglot/trp-core/store";
import { inFolder } from "../machine.ts";
import { atMost, type Bar, type Findings, figure, type Run, together } from "../report.ts";
import { inProcess } from "../trp/clients.ts";
import { bothLoads, crowd, faster, type Loads, loadTable, type Peer, underLoad } from "../trp/load.ts";
import { writeCapability } from "../trp/work.ts";
import { type Bare, bareStatements } from "./bare.ts";
import { countedCosts } from "./counted.ts";
import { keyedCalls } from "./keyed-call.ts";
import { processUs, serverMeter } from "./meter.ts";
import { openPool } from "./pg.ts";
import { startRouters } from "./routers.ts";
import { startServer } from "./server.ts";

/** What every part has: a server, a folder for SQLite, bare statements, and where they are told from. */
interface Bench {
  url: string;
  folder: string;
  bare: Bare;
  meters: readonly string[];
  meter(subject: { name: string }): () => () => number[];
}

const meters = ["CPU of Node per call", "CPU of PostgreSQL per call"];

/** Measures keyed calls, reads and `once` on PostgreSQL: beside bare statements on the same pool, beside SQLite, and several routers. */
export const measurePostgres = ({ root, progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const server = await startServer(root);
    const pool = openPool(server.url);
    try {
      const ofServer = await serverMeter(pool);
      const bench: Bench = {
        url: server.url,
        folder,
        bare: await bareStatements(pool),
        meters,
        meter: (subject) => () => {
          const pids = "pids" in subject ? (subject.pids as readonly number[]) : [process.pid];
          const now = (): number[] => [pids.reduce((sum, pid) => sum + processUs(pid), 0), ofServer()];
          const before = now();
          return () => now().map((time, at) => time - (before[at] ?? 0));
        },
      };
      progress("keyed calls");
      const keyed = await measureKeyed(bench);
      progress("claims");
      const claims = await measureClaims(bench);
      progress("four routers");
      const several = await measureSeveral(bench);
      progress("reads");
      const reads = await measureReads(bench);
      progress("once");
      const onces = await measureOnces(bench);
      progress("counted costs");
      return together(keyed, claims, several, reads, onces, await countedCosts(server.url));
    } finally {
      await pool.end();
      await server.remove();
    }
  });

const open = ({ url }: Bench, schema: string): Promise<RouterStore> => openPostgres({ url, schema });

async function measureKeyed(bench: Bench): Promise<Findings> {
  const { bare, meter } = bench;
  const own = await keyedCalls("the store alone", await open(bench, "store"), crowd);
  const ownInOne = await keyedCalls("the store alone, one session", await open(bench, "store_one"), 1);
  const router = inProcess("a router in process", await open(bench, "router"), writeCapability, crowd);
  const inOne = inProcess("a router in process, one session", await open(bench, "router_one"), writeCapability);
  const sqlite = await openSqlite({ file: `${bench.folder}/keyed.db`, driver: "libsql" });
  const onSqlite = inProcess("a router in process, on SQLite, FULL", sqlite, writeCapability, crowd);
  const subjects = [bare.calls, own, ownInOne, router, inOne, onSqlite];
  try {
    const loads = await bothLoads(subjects, { meter });
    const [, many] = loads;
    const ofNode = (subject: Peer): number => many?.get(subject)?.cpu[0] ?? Number.NaN;
    const added = (subject: Peer): Bar =>
      atMost(
        `processor time of Node that ${subject.name} adds to bare statements, ${crowd} callers`,
        ofNode(subject) - ofNode(bare.calls),
        250,
        " µs",
      );
    return {
      bars: [
        ...faster(`a keyed call by ${own.name}, beside bare statements`, own, bare.calls, 0.5, loads.slice(1)),
        ...faster(
          `a keyed call by ${ownInOne.name}, beside bare statements`,
          ownInOne,
          bare.calls,
          0.5,
          loads.slice(1),
        ),
        added(own),
        ...faster(`a keyed call by ${router.name}, beside ${onSqlite.name}`, router, onSqlite, 0.7, loads.slice(1)),
      ],
      tables: [
        loadTable(
          "Keyed calls",
          `Bare statements: a claim inserted, updated to started, updated to done with its outcome; three commits, on a table with nothing else, as \`pg\` sends queries with parameters. The store alone: admission with start, then end with answer and audit rows, as a router asks for them. A router: client and router in this process, everything. Each caller has a session of its own, where nothing else is said. Every commit is on the disk before it is reported.`,
          loads,
          bare.calls,
          bench.meters,
        ),
      ],
    };
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

async function measureClaims(bench: Bench): Promise<Findings> {
  const store = await open(bench, "claims");
  let count = 0;
  const own: Peer = {
    name: "claim by the store",
    async call() {
      const request = { scope: "bench", key: `key-${++count}`, fingerprint: "f", owner: "bench", leaseMs: 60_000 };
      const { status } = await store.operations.claim(request);
      if (status !== "claimed") throw new Error(status);
    },
    close: () => store.close(),
  };
  try {
    const loads = await bothLoads([bench.bare.claims, own], { meter: bench.meter });
    return {
      bars: [spread(own, bench.bare.claims, loads)],
      tables: [
        loadTable("Claims", "One commit each, of a key that nobody had.", loads, bench.bare.claims, bench.meters),
      ],
    };
  } finally {
    await own.close();
  }
}

/** How much longer than most the slowest wait, when there are many callers; and of bare statements, which the machine makes wait as well. */
function spread(subject: Peer, bare: Peer, loads: Loads): Bar {
  const of = (one: Peer): number => {
    const { p50 = Number.NaN, p99 = Number.NaN } = loads.at(-1)?.get(one) ?? {};
    return p99 / p50;
  };
  const what = `p99 beside p50 of a ${subject.name}, ${crowd} callers`;
  return atMost(what, of(subject), 4, "×", ` (${bare.name}: ${figure(of(bare))}×)`);
}

async function measureSeveral(bench: Bench): Promise<Findings> {
  const { url } = bench;
  const together = await startRouters("four routers on one schema", url, ["four", "four", "four", "four"]);
  const apart = await startRouters("four routers, a schema each", url, ["four_1", "four_2", "four_3", "four_4"]);
  const single = await startRouters("one router", url, ["single"]);
  const subjects = [together, apart, single];
  try {
    const loads = [await underLoad(subjects, crowd, { meter: bench.meter, windowMs: 1000, warmMs: 4000 })];
    return {
      bars: faster(`${together.name}, beside ${apart.name}`, together, apart, 0.9, loads),
      tables: [
        loadTable(
          "Several routers",
          `Keyed calls by routers in processes of their own, ${crowd} callers in all, a session each, on one server and the same two cores. One router and its backends fill two cores already, so four can't do four times as much here: routers that share a schema are compared with the same processes that share nothing but the server. What they lose, they lose by waiting for each other. One router with all the callers does more than four with a quarter each, because more of them go with one statement.`,
          loads,
          single,
          bench.meters,
        ),
      ],
    };
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

async function measureReads(bench: Bench): Promise<Findings> {
  const sqlite = await openSqlite({ file: `${bench.folder}/reads.db`, driver: "libsql" });
  const own = inProcess("a read on PostgreSQL", await open(bench, "reads"), undefined, crowd);
  const onSqlite = inProcess("a read on SQLite, FULL", sqlite, undefined, crowd);
  const inMemory = inProcess("a read on the memory store", undefined, undefined, crowd);
  const subjects = [bench.bare.nothing, own, onSqlite, inMemory];
  try {
    const loads = await bothLoads(subjects, { meter: bench.meter });
    const note =
      "A read-only call, client and router in this process. Its admission and its answer are written too. `select 1` is a round trip of `pg`, and nothing else.";
    return { bars: [], tables: [loadTable("Reads", note, loads, bench.bare.nothing, bench.meters)] };
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

async function measureOnces(bench: Bench): Promise<Findings> {
  const store = await open(bench, "once");
  let count = 0;
  const own: Peer = {
    name: "once",
    call: () => once(store.operations, { scope: "bench", input: { order: ++count } }, () => ({ line: "12 bis" })),
    close: () => store.close(),
  };
  try {
    const loads = await bothLoads([bench.bare.calls, own], { meter: bench.meter });
    const note = "A claim, a beginning and an end: three commits, as by the bare statements above.";
    return { bars: [], tables: [loadTable("Once", note, loads, bench.bare.calls, bench.meters)] };
  } finally {
    await own.close();
  }
}
