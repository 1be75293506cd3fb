/**
 * The program of the thread that owns a store's connection. The build bundles it into a text (see `store-thread.ts`),
 * so that a thread needs no file besides the package's own.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { isJson } from "@toolglot/internal";
import { openFile } from "../open.ts";
import type { Settings } from "../options.ts";
import { sqliteStore } from "../sqlite-store.ts";
import { type Answer, errorFacts, type Part, type Request, type Requests, type ThreadData } from "./messages.ts";

import { unpackOutcomes } from "./shared-outcomes.ts";

type Method = (...given: unknown[]) => unknown;

const port = parentPort as MessagePort;
const methods: Method[] = [];
let answers: Answer[] = [];
/** The latest time of the store's own clock; undefined when the store uses the machine's clock. */
let stamped: number | undefined;

async function serve({ settings, libsql }: ThreadData): Promise<void> {
  const opened = await openFile(settings as Settings, () => stamped ?? Date.now(), libsql);
  port.on("message", ([now, ...requests]: Requests) => {
    stamped = now;
    for (const [id, method, given] of requests) void answer(id, methods[method] as Method, given);
  });
  port.postMessage({ opened: partOf(sqliteStore(opened)) });
}

function givenOf(given: Request[2]): readonly unknown[] {
  if (typeof given !== "string") return given;
  const values: unknown[] = JSON.parse(given);
  unpackOutcomes(values);
  return values;
}

/** Describes an object, and numbers its methods, including those of its inner objects. */
function partOf(owner: object, kind: "method" | "step" = "method"): Part {
  const part: Part = {};
  for (const [name, value] of Object.entries(owner)) {
    if (typeof value === "function") {
      const number = methods.push(value.bind(owner)) - 1;
      part[name] = kind === "step" ? { step: number } : { method: number };
    } else if (typeof value === "object" && value !== null) {
      part[name] = { part: partOf(value, name === "steps" ? "step" : "method") };
    } else part[name] = { value };
  }
  return part;
}

async function answer(id: number, method: Method, given: Request[2]): Promise<void> {
  try {
    const value = await method(...givenOf(given));
    // Results of steps are small and go as they are. When the request was not JSON, the result may not be JSON either.
    const asJson = typeof given === "string" && typeof value === "object" && isJson(value);
    send(asJson ? [id, JSON.stringify(value), "json"] : [id, value]);
  } catch (error) {
    send([id, errorFacts(error), "error"]);
  }
}

/** Sends the answers that one transaction settles in one message. */
function send(settled: Answer): void {
  answers.push(settled);
  if (answers.length > 1) return;
  // `nextTick` runs after all promises that can be settled now, and before the next transaction.
  process.nextTick(() => {
    port.postMessage(answers);
    answers = [];
  });
}

serve(workerData as ThreadData).catch((error) => port.postMessage({ failed: errorFacts(error) }));
