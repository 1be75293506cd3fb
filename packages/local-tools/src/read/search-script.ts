/** The program of the thread that searches, bundled to a text (see `search-thread.ts`): it needs no file beside the package's own. */
/// <reference path="./script-text.d.ts" />
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Codecs, provideCodecs } from "../encodings/codecs.ts";
import codecsScript from "../encodings/codecs-script.ts?script";
import { searchFiles } from "./search-files.ts";
import { helpSearching, SearchHelper } from "./search-helper.ts";
import type { SearchJob, SearchState } from "./search-state.ts";
import { SharedPlace } from "./shared-place.ts";

/** `port`: where files come from that this thread is to search for another one. */
const { shared, port } = workerData as { shared: SharedArrayBuffer; port?: MessagePort };
const place = new SharedPlace(shared);

declare const require: (name: string) => unknown;

// Few searches need them, and every one would wait for them.
provideCodecs(() => {
  const module = { exports: {} as Codecs };
  new Function("module", "require", codecsScript)(module, require);
  return module.exports;
});

const isAlone = availableParallelism() === 1;
let helper: SearchHelper | undefined;

/** Returns a second thread, which the host starts when a large search first asks for it; undefined until it has started, and with a single processor. */
function help(isLarge: boolean): SearchHelper | undefined {
  if (isLarge && helper === undefined && !isAlone) {
    const { port1, port2 } = new MessageChannel();
    const helperPlace = new SharedPlace();
    helper = new SearchHelper(port1, helperPlace);
    parentPort?.postMessage({ help: { shared: helperPlace.shared, port: port2 } }, [port2]);
  }
  return helper?.isReady ? helper : undefined;
}

if (port !== undefined) helpSearching(port, place);
parentPort?.on("message", ({ job, state }: { job: SearchJob; state: SearchState }) => {
  try {
    const progress = { begin: (shown: string) => place.begin(shown), keep: () => parentPort?.postMessage({ state }) };
    searchFiles(job, state, progress, help);
    parentPort?.postMessage({ state, isOver: true });
  } catch (error) {
    parentPort?.postMessage({ failed: String((error as Error | undefined)?.message) });
  }
});
