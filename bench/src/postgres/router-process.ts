import { createInterface } from "node:readline";
import { openPostgres } from "@toolglot/postgres";
import { inProcess } from "../trp/clients.ts";
import { crowd, window } from "../trp/load.ts";
import { writeCapability } from "../trp/work.ts";
import type { Told } from "./routers.ts";

// A router in a process of its own, with callers of keyed writes: `node router-process.mjs URL SCHEMA`. It prints a line when it is ready, and
// after each line of input, which says how many callers ask for how many milliseconds, how it bore them (`Told`). It ends with its input.

const [url, schema] = process.argv.slice(2) as [string, string];
const store = await openPostgres({ url, schema });
const router = inProcess("a router of several", store, writeCapability, crowd);
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [callers, ms] = line.split(" ").map(Number) as [number, number];
  const waits: number[] = [];
  const told: Told = { ...(await window(router, callers, ms, waits)), waits };
  console.log(JSON.stringify(told));
}
await router.close();
