/**
 * The program of the thread that searches. It is bundled to a text (see `search-thread.ts`), so that a thread needs no file beside
 * the package's own.
 */
/// <reference path="./script-text.d.ts" />
import { parentPort, workerData } from "node:worker_threads";
import { type Codecs, provideCodecs } from "../encodings/codecs.ts";
import codecsScript from "../encodings/codecs-script.ts?script";
import { type SearchJob, type SearchState, searchFiles } from "./search-files.ts";

const { shared } = workerData as { shared: SharedArrayBuffer };
const counter = new Int32Array(shared, 0, 2);
const name = Buffer.from(shared, 8);

declare const require: (name: string) => unknown;

// Few searches need them, and every one would wait for them.
provideCodecs(() => {
  const module = { exports: {} as Codecs };
  new Function("module", "require", codecsScript)(module, require);
  return module.exports;
});

parentPort?.on("message", ({ job, state }: { job: SearchJob; state: SearchState }) => {
  try {
    searchFiles(job, state, {
      begin(shown) {
        counter[1] = name.write(shown);
        Atomics.add(counter, 0, 1);
      },
      keep: () => parentPort?.postMessage({ state }),
    });
    parentPort?.postMessage({ state, isOver: true });
  } catch (error) {
    parentPort?.postMessage({ failed: String((error as Error | undefined)?.message) });
  }
});
