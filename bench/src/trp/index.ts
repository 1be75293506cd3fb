import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openSqlite } from "@toolglot/sqlite";
import { createClient, inProcessTransport } from "@toolglot/trp-client";
import { httpTransport } from "@toolglot/trp-client/node";
import { createRouter, principal } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { type Bar, type Findings, figure, ratio, type Table } from "../report.ts";
import { bareStatements } from "./bare.ts";
import { rawWrite, stores } from "./claims.ts";
import { type Called, type Load, underLoad } from "./load.ts";
import { echo, mcpInMemory, mcpOverHttp, type Peer } from "./peers.ts";
import type { Gaps } from "./servers.ts";
import { address, found, readCapability, writeCapability } from "./work.ts";

/** Callers at the same time. */
export const crowd = 32;

/** Measures what a call through the router costs: in process, over HTTP, and where each write is durable. */
export async function measureTrp(progress: (text: string) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  try {
    progress("trp: in process");
    const inProcess = await measureInProcess();
    progress("trp: over HTTP");
    const http = await measureHttp(folder);
    progress("trp: durable");
    const durable = await measureDurable(folder);
    const gaps = await measureGaps(folder);
    const parts = [inProcess, http, durable, gaps];
    return { bars: parts.flatMap(({ bars }) => bars), tables: parts.flatMap(({ tables }) => tables) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Loads = Map<Called, Load>[];

/** One caller, then many. */
async function bothLoads(subjects: readonly Called[]): Promise<Loads> {
  return [await underLoad(subjects, 1), await underLoad(subjects, crowd)];
}

function table(title: string, note: string, subjects: readonly Called[], loads: Loads, base?: Called): Table {
  const rows = subjects.flatMap((subject) =>
    loads.map((load) => {
      const { callers, perSecond, p50, p99, cpu } = load.get(subject) as Load;
      const against = base ? [ratio(perSecond, load.get(base)?.perSecond ?? Number.NaN)] : [];
      return [
        subject.name,
        String(callers),
        figure(perSecond),
        ...against,
        `${figure(p50)} ms`,
        `${figure(p99)} ms`,
        `${figure(cpu)} µs`,
      ];
    }),
  );
  const against = base ? [`beside ${base.name}`] : [];
  return { title, note, columns: ["", "callers", "calls/s", ...against, "p50", "p99", "CPU here per call"], rows };
}

function faster(what: string, one: Called, other: Called, times: number, loads: Loads): Bar[] {
  return loads.map((load) => {
    const mine = load.get(one) as Load;
    const theirs = load.get(other) as Load;
    return {
      what: `${what}, ${mine.callers === 1 ? "1 caller" : `${mine.callers} callers`}`,
      limit: `≥ ${times}×`,
      measured: `${ratio(mine.perSecond, theirs.perSecond)} (p99 ${figure(mine.p99)} ms)`,
      met: mine.perSecond >= times * theirs.perSecond,
    };
  });
}

/** A client's call that has to succeed. */
export function calling(name: string, client: ReturnType<typeof createClient>, { capId } = readCapability): Peer {
  return {
    name,
    call: async () => {
      const { status, result, error } = await client.callByCap(capId, { ...address });
      const data = result?.data as { line?: string } | undefined;
      if (status !== "success" || data?.line !== found) throw new Error(`${name}: ${status} ${error?.message ?? ""}`);
    },
    close: () => client.close(),
  };
}

async function measureInProcess(): Promise<Findings> {
  const router = createRouter({ capabilities: [readCapability], allowVolatile: true });
  const who = principal({ id: "bench" });
  const own = calling(
    "TRP in process, memory store",
    createClient({ transport: inProcessTransport(router, who), agentId: "bench" }),
  );
  const mcp = await mcpInMemory();
  try {
    const subjects = [own, mcp];
    const loads = await bothLoads(subjects);
    return {
      bars: faster("TRP in process, memory store, beside MCP in memory, a read", own, mcp, 2, loads),
      tables: [
        table(
          "Reads in process",
          "A read-only call from the client through the router, on a memory store, to a function and back, with session, order, catalog, schema, policy, audit; beside the official MCP client and server. Callers ask again as soon as they are answered.",
          subjects,
          loads,
          mcp,
        ),
      ],
    };
  } finally {
    await Promise.all([own.close(), mcp.close()]);
    await router.close();
  }
}

/** A server in a separate process. */
export async function serve(
  kind: "echo" | "trp" | "mcp",
  ...more: string[]
): Promise<{ url: string; pid: number; gaps(): Promise<Gaps>; stop(): void }> {
  const script = join(dirname(fileURLToPath(import.meta.url)), "servers.mjs");
  const child = spawn(process.execPath, [script, kind, ...more], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const line = (): Promise<string> =>
    new Promise((resolve, reject) => {
      lines.once("line", resolve);
      child.once("exit", (code) => reject(new Error(`server ${kind} ended with ${code}`)));
    });
  const url = await line();
  const gaps = async (): Promise<Gaps> => {
    child.stdin.write("\n");
    return JSON.parse(await line());
  };
  return { url, pid: child.pid as number, gaps, stop: () => child.kill() };
}

async function measureHttp(folder: string): Promise<Findings> {
  const kept = serve("trp", join(folder, "http.db"));
  const [bare, trp, durable, mcp] = await Promise.all([serve("echo"), serve("trp"), kept, serve("mcp")]);
  const echoed = echo(bare.url);
  const over = (name: string, url: string): Peer =>
    calling(name, createClient({ transport: httpTransport({ url }), agentId: "bench" }));
  const own = over("TRP over HTTP, memory store", trp.url);
  const onDisk = over("TRP over HTTP, SQLite, FULL", durable.url);
  const theirs = await mcpOverHttp(mcp.url);
  try {
    const subjects = [echoed, own, onDisk, theirs];
    const loads = await bothLoads(subjects);
    return {
      bars: [
        ...faster("TRP over HTTP, memory store, beside a bare JSON echo, a read", own, echoed, 0.5, loads),
        ...faster(
          "TRP over HTTP, memory store, beside MCP Streamable HTTP without sessions, a read",
          own,
          theirs,
          3,
          loads,
        ),
        ...faster(
          "TRP over HTTP, SQLite, FULL, beside MCP Streamable HTTP without sessions, a read",
          onDisk,
          theirs,
          3,
          loads,
        ),
      ],
      tables: [
        table(
          "Reads over HTTP",
          "The same read; client and server are processes on two cores. Answers are JSON, one for each request: nothing is streamed. Who has effects needs a durable store, so the router is there with either. The echo is `node:http` at both ends, a body as long as a frame, JSON parsed and written, and nothing else.",
          subjects,
          loads,
          echoed,
        ),
      ],
    };
  } finally {
    await Promise.all([echoed.close(), own.close(), onDisk.close(), theirs.close()]);
    for (const server of [bare, trp, durable, mcp]) server.stop();
  }
}

/** Keyed writes through client and router, each a new operation. */
export function writing(name: string, store: RouterStore): Peer {
  const router = createRouter({ capabilities: [writeCapability], store, allowVolatile: true });
  const client = createClient({ transport: inProcessTransport(router, principal({ id: "bench" })), agentId: "bench" });
  const peer = calling(name, client, writeCapability);
  return {
    ...peer,
    close: async () => {
      await peer.close();
      await router.close();
      await store.close();
    },
  };
}

/** How long a router that writes keeps everything else in its process waiting. */
async function measureGaps(folder: string): Promise<Findings> {
  const limit = 50;
  const server = await serve("trp", join(folder, "gaps.db"));
  const client = createClient({ transport: httpTransport({ url: server.url }), agentId: "bench" });
  const writes = calling("keyed writes over HTTP", client, writeCapability);
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
      ...[p50, p99, max].map((ms) => `${figure(ms)} ms`),
    ]);
    return {
      bars: [
        {
          what: `gaps in the event loop of a router with ${crowd} keyed writers on SQLite, FULL`,
          limit: `p99 < ${limit} ms`,
          measured: `${figure(busy.p99)} ms (at most ${figure(busy.max)} ms)`,
          met: busy.p99 < limit,
        },
      ],
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
    server.stop();
  }
}

async function measureDurable(folder: string): Promise<Findings> {
  const claims = await stores(folder);
  const raw = rawWrite(folder);
  // libsql on every runtime, so that both rows are of one binding.
  const driver = "libsql";
  const sqlite = await openSqlite({ file: join(folder, "router.db"), driver });
  const writes = writing(`keyed write, ${sqlite.name}, FULL`, sqlite);
  const sample = writing("sample", await openSqlite({ file: join(folder, "bare.db"), driver }));
  await sample.call();
  await sample.close();
  const bare = bareStatements("the same rows by bare statements", join(folder, "bare.db"));
  try {
    const alone = await underLoad([raw], 1);
    const claimLoads = await bothLoads(claims);
    const loads = await bothLoads([writes, bare]);
    return {
      bars: faster(
        `keyed writes on ${sqlite.name}, FULL, beside the same rows by bare statements`,
        writes,
        bare,
        0.5,
        loads,
      ),
      tables: [
        table(
          "Operations in the store",
          `Claim with start, then finish: two transactions. Every commit is on disk before it is reported (SQLite: WAL, \`synchronous=FULL\`); commits of callers that wait at the same time are made together. Driver: ${sqlite.name}.`,
          claims,
          claimLoads,
        ),
        table(
          "A durable write without a database",
          "One after another: below this, nothing that is on disk can be.",
          [raw],
          [alone],
        ),
        table(
          "Keyed writes",
          "Client and router in one process, the whole path: admission, claim, approval check, audit, effect, outcome, answer. Two commits each, admission with start and outcome with answer, which callers that wait at the same time share. Below them what the binding needs for the rows alone: the same columns with texts of the same length, in the same groups and commits, with nothing read, decided, hashed or put into JSON.",
          [writes, bare],
          loads,
          bare,
        ),
      ],
    };
  } finally {
    await Promise.all([...claims, raw, writes, bare].map((one) => one.close()));
  }
}
