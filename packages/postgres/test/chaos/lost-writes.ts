import { setTimeout as pause } from "node:timers/promises";
import { ToolglotError } from "@toolglot/core";
import { openPostgres } from "@toolglot/postgres";
import { balancer } from "./balancer.ts";
import { at, take } from "./fail-over.ts";
import { withServer } from "./stage.ts";

/** What two processes were told after an asynchronous standby had taken the place of a server whose last writes it lacked. */
export interface LostWrites {
  /** What the writer was told while the server took no writes, on connections that were open. */
  refused: string;
  /** What the writer was told while its address led to the standby, what was reported then, and what it was told afterwards. */
  astray: [string, string[]];
  back: string;
  /** The code with which the next start of the process that wrote was refused. */
  writer: string;
  /** That of a process which opens the store afterwards. */
  next: string;
  /** What `onError` of the writer got. */
  reported: string[];
}

/** Has operations begun and acknowledged that the standby never gets, and then promotes it. */
export function loseWrites(): Promise<LostWrites> {
  return withServer(async (primary) => {
    const standby = await primary.standby();
    const address = await balancer(primary.port);
    const options = { url: at(primary.url, address.port), schema: "lost", retryForMs: 300 };
    const reported: string[] = [];
    const store = await openPostgres({ ...options, onError: (error) => reported.push(codeOf(error)) });
    const begin = async (key: string): Promise<string> => {
      const request = { scope: "s", key, fingerprint: "f", owner: "writer", leaseMs: 60_000 };
      return (await store.operations.start(request, { audit: [] })).status;
    };
    try {
      await begin("kept");
      // The tables and the first operation arrive; what follows doesn't.
      const count = "SELECT count(*) FROM lost.operations";
      while ((await standby.sql(count).catch(() => "")).trim() !== "1") await pause(50);
      await standby.configure({ primary_conninfo: "" });
      while ((await primary.sql("SELECT 1 FROM pg_stat_replication")) !== "") await pause(50);
      for (let number = 0; number < 40; number++) await begin(`lost-${number}`);
      await primary.configure({ default_transaction_read_only: "on" });
      const refused = await begin("refused").catch(codeOf);
      await primary.configure({ default_transaction_read_only: "off" });
      address.to(standby.port);
      // What is sent on a connection whose end is not noticed yet may have been done.
      await pause(100);
      const astray: LostWrites["astray"] = [await begin("astray").catch(codeOf), [...reported]];
      address.to(primary.port);
      const back = await begin("back").catch(codeOf);
      await take(primary, standby);
      address.to(standby.port);
      const writer = await begin("after").catch(codeOf);
      const next = await openPostgres(options).then((other) => other.close().then(() => "opened"), codeOf);
      return { refused, astray, back, writer, next, reported };
    } finally {
      await store.close().catch(() => {});
      await address.close();
      await standby.remove();
    }
  });
}

function codeOf(error: unknown): string {
  return ToolglotError.isInstance(error) ? error.code : String(error);
}
