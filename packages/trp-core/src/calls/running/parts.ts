import type { OperationClaim } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { ignoreRejection, sleep } from "@toolglot/internal";
import type { ProgressUpdate } from "../../catalog/types.ts";
import type { PartialResultEvent } from "../../frames/results.ts";
import { fitJson } from "../../results/fit.ts";
import { toSafeJson } from "../../results/safe-json.ts";
import type { NewPart, PartStore, StoredPart } from "../../store/types.ts";

/** Partial results of one operation that are kept; the oldest go first. */
const keptParts = 512;
/** Between two writes of one call, in milliseconds: what comes meanwhile is written together. */
const pauseMs = 25;
const maxMessageChars = 2_000;
const maxStageChars = 100;
const maxDataBytes = 16_384;

/** Options of {@link PartWriter}. */
export interface PartOptions {
  /** Where the parts are kept, for a call with an operation. Without it they only go to `onParts`. */
  store?: { parts: Pick<PartStore, "add">; claim: OperationClaim };
  /** Which attempt at the operation this is. */
  attempt: number;
  /** Gets the parts with their numbers, once they are kept. */
  onParts?: ((events: PartialResultEvent[]) => void | Promise<void>) | undefined;
  now(): number;
}

/**
 * The partial results of one attempt at a call: numbered, kept with the operation, and sent to listeners. Writing is
 * never waited for but at the end, and a store that fails here fails nobody's call.
 */
export class PartWriter {
  readonly #options: PartOptions;
  #pending: NewPart[] = [];
  /** Parts that came faster than they could be kept. Their numbers are taken all the same. */
  #skipped = 0;
  #last = 0;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: PartOptions) {
    this.#options = options;
  }

  /** What a capability calls. Takes whatever it is given, and never throws. */
  report(update: ProgressUpdate | string): void {
    if (this.#closed) return;
    this.#pending.push(partOf(update, this.#options.attempt));
    if (this.#pending.length > keptParts) {
      this.#pending.shift();
      this.#skipped++;
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    ignoreRejection(this.#writing);
  }

  /** Ends it: everything that was reported is kept and sent when this is fulfilled, as far as the store can. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing?.catch(() => {});
    if (this.#pending.length > 0) await this.#flush().catch(() => {});
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      // Reports of one moment stay together.
      await Promise.resolve();
      await this.#flush();
      if (!this.#closed) await sleep(pauseMs);
    }
  }

  async #flush(): Promise<void> {
    const { store, onParts, now } = this.#options;
    const parts = this.#pending;
    const skipped = this.#skipped;
    this.#pending = [];
    this.#skipped = 0;
    let last: number | undefined;
    try {
      last =
        store === undefined
          ? this.#last + skipped + parts.length
          : await store.parts.add(store.claim, parts, { keep: keptParts, skipped });
    } catch (error) {
      // What could not be kept is tried again with what comes next.
      this.#pending = [...parts, ...this.#pending].slice(-keptParts);
      this.#skipped += skipped;
      throw error;
    }
    if (last === undefined) {
      // Another router holds the operation: the parts of this one do not count any more.
      this.#closed = true;
      return;
    }
    this.#last = last;
    const first = last - parts.length + 1;
    const at = now();
    await onParts?.(parts.map((part, index) => eventOf({ ...part, id: first + index, at })));
  }
}

/** Returns a part as a `PARTIAL_RESULT` has it. */
export function eventOf({ id, at, kind, stage, message, attempt, data }: StoredPart): PartialResultEvent {
  const event: PartialResultEvent = { event_id: id, kind, stage, message, attempt, timestamp_ms: at };
  if (data !== undefined) event.data = data;
  return event;
}

/** Makes a part of what a capability reports: texts are cut, and data that is too big is made smaller. */
function partOf(update: ProgressUpdate | string, attempt: number): NewPart {
  const given: Partial<ProgressUpdate> = typeof update === "string" ? { message: update } : (update ?? {});
  const part: NewPart = {
    kind: "PROGRESS",
    stage: text(given.stage, maxStageChars),
    message: text(given.message, maxMessageChars),
    attempt,
  };
  if (given.data === undefined) return part;
  const { data, bytesAtMost } = toSafeJson(given.data);
  part.data = bytesAtMost <= maxDataBytes ? data : fitJson(data, maxDataBytes).data;
  return part;
}

function text(value: unknown, most: number): string {
  if (value === undefined || value === null) return "";
  const { data } = toSafeJson(value);
  return cutText(typeof data === "string" ? data : JSON.stringify(data), most);
}
