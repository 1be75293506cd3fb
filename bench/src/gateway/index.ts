import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inFolder } from "../machine.ts";
import { mcpClient } from "../mcp.ts";
import { atOnce, median, often, quick } from "../measure.ts";
import { residentMb, type Started, start } from "../processes.ts";
import { atLeast, atMost, type Findings, figure, type Run, ratio, type Table } from "../report.ts";

/** Calls at the same time over HTTP. */
export const callers = 32;
export const servers = 20;

/** Where things are. */
export interface Places {
  /** `toolglot`, built. */
  cli: string;
  echo: string;
  passThrough: string;
  proxy: string;
  folder: string;
}

export function placesIn(root: string, folder: string): Places {
  const processes = join(root, "bench/src/gateway/processes");
  return {
    cli: join(root, "apps/cli/dist/main.js"),
    echo: join(processes, "echo.mjs"),
    passThrough: join(processes, "pass-through.mjs"),
    proxy: join(processes, "proxy.mjs"),
    folder,
  };
}

/** Writes a configuration with so many of the same server. */
function configured({ echo, folder }: Places, name: string, count: number): string[] {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  const entry = { command: process.execPath, args: [echo] };
  const mcpServers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`echo${at}`, entry]));
  writeFileSync(join(own, "toolglot.json"), JSON.stringify({ mcpServers, gateway: { listen: { port: 0 } } }));
  return ["--config", join(own, "toolglot.json"), "--state-dir", own];
}

/** `before`: what stands before the names of tools. */
type Call = (tool: "read" | "write", text: string, before?: string) => Promise<unknown>;

export interface Connected {
  call: Call;
  close(): Promise<void>;
}

async function connected(transport: Parameters<Client["connect"]>[0], prefix: string): Promise<Connected> {
  const client = mcpClient();
  await client.connect(transport);
  return {
    call: (tool, text, before = prefix) => client.callTool({ name: before + tool, arguments: { text } }),
    async close() {
      // A session that nobody ends is kept for half an hour.
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
}

const overStdio = (args: string[], prefix = ""): Promise<Connected> =>
  connected(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }), prefix);

export const overHttp = (url: string, prefix = ""): Promise<Connected> =>
  connected(new StreamableHTTPClientTransport(new URL(url)), prefix);

/** Median of one call at a time over standard streams, in milliseconds. */
async function oneByOne(args: string[], prefix?: string): Promise<number> {
  const { call, close } = await overStdio(args, prefix);
  const times: number[] = [];
  for (let at = 0; at < often(600); at++) {
    const began = performance.now();
    await call("read", `text ${at}`);
    if (at >= often(100) || quick) times.push(performance.now() - began);
  }
  await close();
  return median(times);
}

let written = 0;

/** Calls in a second. Each write is another effect. */
const rate = (call: Call, tool: "read" | "write", total: number): Promise<number> =>
  atOnce(callers, total, () => call(tool, tool === "write" ? `note ${++written}` : "text"));

/** The best of several turns, which the subjects take one after another. */
async function inTurn<Name extends string>(
  best: (...found: number[]) => number,
  subjects: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const found = {} as Record<Name, number>;
  for (let round = 0; round < often(3); round++) {
    for (const name of Object.keys(subjects) as Name[]) {
      const now = await subjects[name]();
      found[name] = best(found[name] ?? now, now);
    }
  }
  return found;
}

/** Measures what the gateway adds to calls, and what it takes, beside a pass-through and a published proxy. */
export const measureGateway = ({ root, progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const places = placesIn(root, folder);
    progress("one call at a time, over stdio");
    const latency = await latencies(places);
    progress(`${callers} calls at a time, over HTTP`);
    const rates = await ratesOverHttp(places, root);
    progress(`${servers} servers`);
    const many = await withManyServers(places, root);
    return {
      bars: [
        atMost("added to a read, one at a time, stdio to stdio, median", latency.gateway - latency.direct, 2, " ms"),
        atLeast("reads over HTTP, of the pass-through's rate", rates.reads.gateway / rates.reads.passThrough, 0.5, "×"),
        atLeast(
          "writes with a key on SQLite, of the pass-through's rate",
          rates.writes / rates.reads.passThrough,
          0.35,
          "×",
        ),
        atMost(`memory with ${servers} servers, theirs apart`, many.mb, 150, " MB"),
        atMost("first list after the slowest server, of 20 over stdio", many.afterSlowestMs / 1000, 1, " s"),
      ],
      tables: [latencyTable(latency), rateTable(rates), manyTable(many)],
    };
  });

interface Latencies {
  direct: number;
  passThrough: number;
  gateway: number;
}

function latencies(places: Places): Promise<Latencies> {
  const { echo, passThrough, cli } = places;
  const own = [cli, "gateway", "--stdio", "--log", "silent", ...configured(places, "stdio", 1)];
  return inTurn(Math.min, {
    direct: () => oneByOne([echo]),
    passThrough: () => oneByOne([passThrough, "stdio", process.execPath, echo]),
    gateway: () => oneByOne(own, "echo0__"),
  });
}

interface Rates {
  reads: { passThrough: number; proxy: number; gateway: number };
  writes: number;
}

async function ratesOverHttp(places: Places, root: string): Promise<Rates> {
  const { echo, passThrough, proxy } = places;
  const bench = join(root, "bench");
  const started: Started[] = [];
  const opened: Connected[] = [];
  try {
    const pass = start([passThrough, "http", process.execPath, echo], bench);
    started.push(pass);
    const [port] = await pass.said(/^\d+$/);
    opened.push(await overHttp(`http://127.0.0.1:${port}/mcp`));
    const proxyPort = 18_000 + (process.pid % 1_000);
    const other = start([proxy, String(proxyPort), process.execPath, echo], bench);
    started.push(other);
    await other.said(/^\d+$/);
    opened.push(await overHttp(`http://127.0.0.1:${proxyPort}/mcp`));
    const own = gateway(places, root, "http", 1);
    started.push(own);
    opened.push(await overHttp(await urlOf(own), "echo0__"));
    const [first, second, third] = opened as [Connected, Connected, Connected];
    const total = often(4_000);
    for (const { call } of opened) await rate(call, "read", often(500));
    const reads = await inTurn(Math.max, {
      passThrough: () => rate(first.call, "read", total),
      proxy: () => rate(second.call, "read", total),
      gateway: () => rate(third.call, "read", total),
    });
    const { writes } = await inTurn(Math.max, { writes: () => rate(third.call, "write", total) });
    return { reads, writes };
  } finally {
    for (const { close } of opened) await close().catch(() => {});
    for (const one of started) await one.end();
  }
}

interface Many {
  mb: number;
  slowestMs: number;
  firstListMs: number;
  afterSlowestMs: number;
}

async function withManyServers(places: Places, root: string): Promise<Many> {
  const slowest = async (): Promise<number> => {
    const began = performance.now();
    // As the gateway starts them: all at once.
    const all = await Promise.all(Array.from({ length: servers }, () => overStdio([places.echo])));
    const took = performance.now() - began;
    await Promise.all(all.map(({ close }) => close()));
    return took;
  };
  const slowestMs = Math.min(await slowest(), await slowest());
  const own = gateway(places, root, "many", servers);
  try {
    const began = performance.now();
    const client = mcpClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(await urlOf(own))));
    const { tools } = await client.listTools();
    const firstListMs = performance.now() - began;
    if (tools.length < 2 * servers) throw new Error(`only ${tools.length} tools are there`);
    for (let at = 0; at < often(200); at++) {
      await client.callTool({ name: `echo${at % servers}__read`, arguments: { text: "x" } });
    }
    const mb = residentMb([String(own.pid)]);
    await client.close();
    return { mb, slowestMs, firstListMs, afterSlowestMs: firstListMs - slowestMs };
  } finally {
    await own.end();
  }
}

/** Starts a gateway before so many servers. `nodeFlags`: for Node itself. */
export function gateway(places: Places, root: string, name: string, count: number, nodeFlags: string[] = []): Started {
  const flags = ["--no-auth", "--log", "json", ...configured(places, name, count)];
  return start([...nodeFlags, places.cli, "gateway", ...flags], root);
}

export async function urlOf(started: Started): Promise<string> {
  return (await started.said(/http:\/\/127\.0\.0\.1:\d+\/mcp/))[0];
}

function latencyTable({ direct, passThrough, gateway: own }: Latencies): Table {
  const row = (name: string, value: number): string[] => [name, `${figure(value)} ms`, `${figure(value - direct)} ms`];
  return {
    title: "One read at a time, over stdio",
    note: "The official client starts each as a process, and the process the same server. Median of 500 reads, the best of three turns.",
    columns: ["", "median", "added"],
    rows: [
      row("the server itself", direct),
      row("a pass-through of 40 lines", passThrough),
      row("toolglot gateway", own),
    ],
  };
}

function rateTable({ reads, writes }: Rates): Table {
  const { passThrough } = reads;
  const row = (name: string, value: number): string[] => [name, `${figure(value)}/s`, ratio(value, passThrough)];
  return {
    title: `${callers} calls at a time, over HTTP`,
    note: "One session of the official client of 2025-11-25. 4,000 calls, the best of three turns. Client, gateway and server share the machine. A write is an effect with a key of its own, committed to SQLite (FULL) before and after it runs; the others keep nothing.",
    columns: ["", "calls", "of the pass-through"],
    rows: [
      row("a pass-through of 40 lines, reads", passThrough),
      row("mcp-proxy 6.7, reads", reads.proxy),
      row("toolglot gateway, reads", reads.gateway),
      row("toolglot gateway, writes", writes),
    ],
  };
}

function manyTable({ mb, slowestMs, firstListMs }: Many): Table {
  return {
    title: `${servers} servers over stdio`,
    note: "Memory is resident, after 200 calls. The slowest server is the last of as many that one client starts at once, without a gateway.",
    columns: ["", ""],
    rows: [
      ["memory of the gateway", `${figure(mb)} MB`],
      ["the slowest server answers after", `${figure(slowestMs)} ms`],
      ["the gateway's first whole list after", `${figure(firstListMs)} ms`],
    ],
  };
}
