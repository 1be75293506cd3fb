import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { inProcess } from "../../trp/clients.ts";
import { readCapability, writeCapability } from "../../trp/work.ts";
import type { Ready, Unit } from "../meter.ts";

/** One caller, one call after another. */
export function units(folder: string): Unit[] {
  const works = [
    { what: "a routed read", capability: readCapability },
    { what: "a keyed write", capability: writeCapability },
  ];
  return works.flatMap(({ what, capability }, at): Unit[] => [
    { name: `${what}, in memory`, ready: () => callOf(inProcess(what, undefined, capability)) },
    {
      name: `${what}, on SQLite`,
      async ready() {
        const store = await openSqlite({ file: join(folder, `router-${at}.db`), driver: "libsql" });
        return { ...callOf(inProcess(what, store, capability)), isElsewhere: true };
      },
    },
  ]);
}

const callOf = ({ call, close }: ReturnType<typeof inProcess>): Ready => ({ once: call, close });
