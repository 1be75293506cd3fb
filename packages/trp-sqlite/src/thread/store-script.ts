/**
 * The program of the thread that owns a store's connection. It is bundled to a text (see `store-thread.ts`), so that a thread
 * needs no file beside the package's own.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openFile } from "../open.ts";
import type { Settings } from "../options.ts";
import { sqliteOperationLog } from "../sqlite-operation-log.ts";
import { sqliteStore } from "../sqlite-store.ts";
import {
  type Answer,
  errorFacts,
  isJson,
  type Part,
  type Request,
  type Requests,
  type ThreadData,
} from "./messages.ts";

import { unpackOutcomes } from "./shared-outcomes.ts";

type Method = (...given: unknown[]) => unknown;

const port = parentPort as MessagePort;
const methods: Method[] = [];
let answers: Answer[] = [];
/** Of a store with a clock of its own: what it said last. */
let stamped: number | undefined;

async function serve({ kind, settings, libsql }: ThreadData): Promise<void> {
  const opened = await openFile(settings as Settings, () => stamped ?? Date.now(), libsql);
  const store = kind === "store" ? sqliteStore(opened) : sqliteOperationLog(opened);
  port.on("message", ([now, ...requests]: Requests) => {
    stamped = now;
    for (const [id, method, given] of requests) void answer(id, methods[method] as Method, given);
  });
  port.postMessage({ opened: partOf(store) });
}

function givenOf(given: Request[2]): readonly unknown[] {
  if (typeof given !== "string") return given;
  const values: unknown[] = JSON.parse(given);
  unpackOutcomes(values);
  return values;
}

/** Numbers the methods, those of all that is in it as well. */
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
    // What a step gives is small, and what was not asked for in JSON may be none.
    const asJson = typeof given === "string" && typeof value === "object" && isJson(value);
    tell(asJson ? [id, JSON.stringify(value), "json"] : [id, value]);
  } catch (error) {
    tell([id, errorFacts(error), "error"]);
  }
}

/** Once for all that a transaction settles. */
function tell(told: Answer): void {
  answers.push(told);
  if (answers.length > 1) return;
  // After all promises that can be settled now, and before the next transaction.
  process.nextTick(() => {
    port.postMessage(answers);
    answers = [];
  });
}

serve(workerData as ThreadData).catch((error) => port.postMessage({ failed: errorFacts(error) }));
