import { join } from "node:path";
import type { OperationLog } from "@toolglot/core";
import { once } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { openSqlite } from "@toolglot/sqlite";
import type { Ready, Unit } from "../meter.ts";

/** One caller, one after another, each with an input of its own. */
function onceOn(log: OperationLog): Ready {
  let count = 0;
  return {
    async once() {
      const { replayed } = await once(log, { scope: "s", input: { n: ++count }, allowVolatile: true }, () => ({
        n: count,
      }));
      if (replayed) throw new Error("it was done before");
    },
  };
}

export function units(folder: string): Unit[] {
  return [
    { name: "a once, in memory", ready: () => onceOn(new MemoryOperationLog()) },
    {
      name: "a once, on SQLite",
      async ready() {
        const store = await openSqlite({ file: join(folder, "once.db"), driver: "libsql" });
        return { ...onceOn(store.operations), isElsewhere: true, close: () => store.close() };
      },
    },
  ];
}
