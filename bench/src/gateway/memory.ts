import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inFolder } from "../machine.ts";
import { askedCalls, atOnce } from "../measure.ts";
import type { Started } from "../processes.ts";
import { atMost, type Findings, figure, type Run } from "../report.ts";
import { callers, gateway, overHttp, placesIn, servers, urlOf } from "./index.ts";

/** Calls after which everything that a gateway loads and keeps is there. */
const warm = 0.2;
/** So many times it is looked at. */
const looks = 10;
/** A client comes anew after so many calls: sessions come and go too. */
const callsPerSession = 1_000;
/** Of ten calls, one is a write: an operation of its own. */
const writeEvery = 10;

const megabyte = 1024 * 1024;

interface Memory {
  calls: number;
  heap: number;
  external: number;
  resident: number;
}

/** Measures whether the memory of a gateway before 20 servers grows with its calls. `--calls N`: default 100,000. Takes minutes. */
export const measureGatewayMemory = ({ root, progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const total = askedCalls(200);
    const places = placesIn(root, folder);
    const flags = ["--expose-gc", "--require", join(root, "bench/src/gateway/processes/memory.cjs")];
    const own = gateway(places, root, "memory", servers, flags);
    const seen: Memory[] = [];
    try {
      const url = await urlOf(own);
      let made = 0;
      for (let turn = 0; turn <= looks; turn++) {
        for (const upTo = Math.round((total * turn) / looks); made < upTo; ) {
          const next = Math.min(made + callsPerSession, upTo);
          const { call, close } = await overHttp(url);
          await atOnce(callers, next - made, (at) => {
            const number = made + at;
            const tool = number % writeEvery === 0 ? "write" : "read";
            return call(tool, `text ${number}`, `echo${number % servers}__`);
          });
          await close();
          made = next;
        }
        seen.push({ calls: made, ...(await memoryOf(own, turn)) });
        progress(`${made} calls: ${figure(seen[turn]?.heap ?? 0)} MB`);
      }
    } finally {
      await own.end();
    }
    const [first, last] = [seen[Math.round(looks * warm)], seen.at(-1)] as [Memory, Memory];
    return {
      bars: [
        atMost(`the heap's growth, after ${first.calls} calls up to ${last.calls}`, last.heap - first.heap, 5, " MB"),
        atMost("the same of what is beside it (external)", last.external - first.external, 5, " MB"),
      ],
      tables: [
        {
          title: `Memory of a gateway before ${servers} servers`,
          note: `Over HTTP, ${callers} calls at a time, one of ${writeEvery} a write. Heap and external after a garbage collection; resident is what the process has taken by then.`,
          columns: ["calls", "heap", "external", "resident"],
          rows: seen.map(({ calls, ...parts }) => [
            String(calls),
            ...Object.values(parts).map((mb) => `${figure(mb)} MB`),
          ]),
        },
      ],
    };
  });

async function memoryOf(own: Started, turn: number): Promise<Omit<Memory, "calls">> {
  // What the last answers have left behind is still on its way.
  await sleep(1_000);
  process.kill(own.pid, "SIGUSR2");
  const said = (await own.said(/^memory (\{.*\})$/, turn))[1] as string;
  const { heapUsed, external, rss } = JSON.parse(said) as Record<"heapUsed" | "external" | "rss", number>;
  return { heap: heapUsed / megabyte, external: external / megabyte, resident: rss / megabyte };
}
