import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import type { Transport } from "@toolglot/trp-client";
import { httpTransport, stdioTransport, wsTransport } from "@toolglot/trp-client/node";
import { inFolder } from "../machine.ts";
import type { Findings, Run } from "../report.ts";
import { calling, inProcess, type Server, serve, servers } from "./clients.ts";
import { bothLoads, loadTable, type Peer } from "./load.ts";
import { echo, mcpInMemory, mcpOverHttp, mcpOverStdio } from "./peers.ts";

const note =
  "The same read-only call. In process the client is in the router's process; elsewhere the two are processes, and standard streams are those of a child. Event streams are asked for by the client, and their answers have an ACK before them. The echo is `node:http` at both ends with a body as long as a frame, and nothing else. *Store* says where the router keeps sessions and audit; MCP's servers keep nothing.";

/** Measures the same read over every transport, on each store, beside MCP and a plain echo. */
export const measureTransports = ({ progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const running: Server[] = [];
    const rows: Peer[] = [];
    const start = async (...args: string[]): Promise<string> => {
      const server = await serve(...args);
      running.push(server);
      return server.url;
    };
    try {
      progress("starting");
      const base = echo(await start("echo"));
      rows.push(base);
      rows.push(...(await ownRows("MemoryStore", () => [], start)));
      rows.push(...(await ownRows("SQLite, FULL", (name) => [join(folder, `${name}.db`)], start)));
      rows.push(
        await mcpInMemory(),
        await mcpOverHttp(await start("mcp"), ", stateless"),
        await mcpOverHttp(await start("mcp-session"), ", session"),
        await mcpOverStdio(process.execPath, [servers, "mcp-stdio"]),
      );
      progress("one caller, then many");
      const loads = await bothLoads(rows);
      return { bars: [], tables: [loadTable("A read over every transport", note, loads, base)] };
    } finally {
      await Promise.allSettled(rows.map((row) => row.close()));
      for (const server of running) await server.stop();
    }
  });

/** Our transports on one store; each has a router of its own but for those that share a port. */
async function ownRows(
  store: string,
  file: (name: string) => string[],
  start: (...args: string[]) => Promise<string>,
): Promise<Peer[]> {
  const [path] = file("in-process");
  const near = inProcess("TRP in process", path === undefined ? undefined : await openSqlite({ file: path }));
  const url = await start("trp", ...file("ports"));
  const stdio = { command: process.execPath, args: [servers, "stdio", ...file("stdio")] };
  const rows = [
    near,
    calling("TRP over HTTP", httpTransport({ url })),
    calling("TRP over HTTP, event streams", streaming(httpTransport({ url }))),
    calling("TRP over WebSocket", wsTransport({ url })),
    calling("TRP over standard streams", stdioTransport(stdio)),
  ];
  return rows.map((row) => ({ ...row, store }));
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
