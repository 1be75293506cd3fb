import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openSqlite } from "@toolglot/sqlite";
import { createClient, inProcessTransport, type Transport } from "@toolglot/trp-client";
import { httpTransport, stdioTransport, wsTransport } from "@toolglot/trp-client/node";
import { createRouter, principal } from "@toolglot/trp-core";
import { type Findings, figure, ratio } from "../report.ts";
import { type Load, underLoad } from "./load.ts";
import { echo, mcpInMemory, mcpOverHttp, mcpOverStdio, type Peer } from "./peers.ts";
import { address, found, readCapability } from "./work.ts";

const scripts = dirname(fileURLToPath(import.meta.url));
const ownServers = join(scripts, "transport-servers.mjs");
const crowd = 32;

/** A row's subject, and what it keeps where. */
interface Row extends Peer {
  store: string;
}

/** Measures the same read over every transport, on each store, beside MCP and a plain echo. */
export async function measureTransports(progress: (text: string) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  const stops: (() => void)[] = [];
  const rows: Row[] = [];
  try {
    progress("transports: starting");
    const server = async (script: string, ...args: string[]): Promise<string> => {
      const { url, stop } = await serve(join(scripts, script), args);
      stops.push(stop);
      return url;
    };
    const bare = echo(await server("servers.mjs", "echo"));
    rows.push({ ...bare, store: "–" });
    for (const store of ["MemoryStore", "SQLite, FULL"]) {
      const file = (name: string): string[] => (store === "MemoryStore" ? [] : [join(folder, `${name}.db`)]);
      rows.push(...(await ownRows(store, file, (...args) => server("transport-servers.mjs", ...args))));
    }
    const stateless = await server("servers.mjs", "mcp");
    const session = await server("transport-servers.mjs", "mcp-session");
    const peers = [
      { ...(await mcpInMemory()), name: "MCP in memory" },
      { ...(await mcpOverHttp(stateless)), name: "MCP Streamable HTTP, stateless" },
      { ...(await mcpOverHttp(session)), name: "MCP Streamable HTTP, session" },
      await mcpOverStdio(process.execPath, [ownServers, "mcp-stdio"]),
    ];
    rows.push(...peers.map((peer) => ({ ...peer, store: "–" })));
    progress("transports: one caller");
    const one = await underLoad(rows, 1);
    progress(`transports: ${crowd} callers`);
    const many = await underLoad(rows, crowd);
    const base = rows[0] as Row;
    return { bars: [], tables: [tableOf(rows, [one, many], base)] };
  } finally {
    await Promise.allSettled(rows.map((row) => row.close()));
    for (const stop of stops) stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function tableOf(rows: readonly Row[], loads: readonly Map<Row, Load>[], base: Row): Findings["tables"][number] {
  return {
    title: "A read over every transport",
    note: "The same read-only call. In process the client is in the router's process; elsewhere the two are processes, and standard streams are those of a child. Event streams are asked for by the client, and their answers have an ACK before them. The echo is `node:http` at both ends with a body as long as a frame, and nothing else. *Store* says where the router keeps sessions and audit; MCP's servers keep nothing.",
    columns: ["", "store", "callers", "calls/s", `beside ${base.name}`, "p50", "p99", "CPU here per call"],
    words: [1],
    rows: rows.flatMap((row) =>
      loads.map((load) => {
        const { callers, perSecond, p50, p99, cpu } = load.get(row) as Load;
        const against = ratio(perSecond, load.get(base)?.perSecond ?? Number.NaN);
        const times = [`${figure(p50)} ms`, `${figure(p99)} ms`, `${figure(cpu)} µs`];
        return [row.name, row.store, String(callers), figure(perSecond), against, ...times];
      }),
    ),
  };
}

/** Our transports on one store; each has a router of its own but for those that share a port. */
async function ownRows(
  store: string,
  file: (name: string) => string[],
  server: (...args: string[]) => Promise<string>,
): Promise<Row[]> {
  const [path] = file("in-process");
  const volatile = path === undefined ? { allowVolatile: true } : { store: await openSqlite({ file: path }) };
  const router = createRouter({ capabilities: [readCapability], ...volatile });
  const url = await server("ports", ...file("ports"));
  const http = httpTransport({ url });
  const transports: [name: string, transport: Transport][] = [
    ["TRP in process", inProcessTransport(router, principal({ id: "bench" }))],
    ["TRP over HTTP", http],
    ["TRP over HTTP, event streams", streaming(httpTransport({ url }))],
    ["TRP over WebSocket", wsTransport({ url })],
    [
      "TRP over standard streams",
      stdioTransport({ command: process.execPath, args: [ownServers, "stdio", ...file("stdio")] }),
    ],
  ];
  return transports.map(([name, transport], at) => {
    const client = createClient({ transport, agentId: "bench" });
    return {
      name,
      store,
      call: async () => {
        const { status, result, error } = await client.callByCap(readCapability.capId, { ...address });
        const data = result?.data as { line?: string } | undefined;
        if (status !== "success" || data?.line !== found) throw new Error(`${name}: ${status} ${error?.message ?? ""}`);
      },
      close: async () => {
        await client.close();
        if (at > 0) return;
        await router.close();
        await volatile.store?.close();
      },
    };
  });
}

/** The transport as clients use it that read partial results: the answer comes as a stream. */
function streaming(transport: Transport): Transport {
  return {
    ...transport,
    // The signal may be made when it is asked for.
    send: (frame, { signal, onPartial = () => undefined }) => transport.send(frame, { signal, onPartial }),
    close: () => transport.close(),
  };
}

async function serve(script: string, args: readonly string[]): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
  return { url, stop: () => child.kill() };
}
