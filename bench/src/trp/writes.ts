import { join } from "node:path";
import { httpTransport } from "@toolglot/trp-client/node";
import { inFolder } from "../machine.ts";
import type { Findings, Run } from "../report.ts";
import { calling, serve } from "./clients.ts";
import { bareWrites, writing } from "./index.ts";
import { bothLoads, loadTable } from "./load.ts";
import { meterThreads } from "./threads.ts";
import { writeCapability } from "./work.ts";

/** Measures where the processor time of a keyed write goes: to the router's thread, the store's, or V8's own. */
export const measureWrites = ({ progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const bare = await bareWrites(folder);
    const own = await writing(join(folder, "own.db"), () => "in process");
    const server = await serve("trp", join(folder, "http.db"));
    const transport = httpTransport({ url: server.url });
    const http = calling("over HTTP, the router's process", transport, writeCapability);
    try {
      progress("one caller, then many");
      const meter = (one: { name: string }) => () => meterThreads(one === http ? server.pid : process.pid);
      const loads = await bothLoads([bare, own, http], { meter });
      const note = "Keyed writes on SQLite (libsql), FULL. Processor time per call, by the threads of one process.";
      const meters = ["main thread", "store's thread", "collector, compiler"];
      return { bars: [], tables: [loadTable("Keyed writes by thread", note, loads, bare, meters)] };
    } finally {
      await Promise.all([own.close(), http.close(), bare.close()]);
      server.stop();
    }
  });
