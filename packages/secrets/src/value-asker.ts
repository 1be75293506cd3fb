import type { ExecutorContext, ToolError, WaitOutcome } from "@toolglot/core";
import { defined, settleWithin, unsettled } from "@toolglot/internal";
import { valueError } from "./errors.ts";
import { modelWords } from "./model-words.ts";
import { isName } from "./name-and-value.ts";
import { placeholder } from "./placeholders/placeholders.ts";
import type { Secrets, ValueAnswer, ValueRequest } from "./types.ts";
import type { SecretValues } from "./values.ts";

/** A model's request for a value, as the `<get_value>` tag has it. */
export interface GetValueInput {
  key: string;
  reason: string;
  note?: string;
}

/** How a value is asked for: by which call, of which run, and how the host waits. */
export interface AskingContext {
  wait?: ExecutorContext["wait"];
  runId?: string;
  callId?: string;
  signal?: AbortSignal;
}

/** What a model reads of a value that the user gave. Never the value, its length, or anything made of it. */
export interface AskedValue {
  key: string;
  kept: boolean;
  /** There was such a value already, and the user let it be used. */
  known: boolean;
  warnings: string[];
}

type Ended = { outcome: WaitOutcome; value?: AskedValue };

/** How long a key is not asked for again that the user gave no value for, where there is no run. */
const silentMs = 5 * 60_000;

/** Asks the user for values: one at a time, in the order of the calls, and once for calls with one key. */
export class ValueAsker {
  readonly #secrets: Secrets;
  readonly #values: SecretValues;
  #last: Promise<unknown> = Promise.resolve();
  readonly #asking = new Map<string, Promise<Ended>>();
  /** Keys without a value by the user's will: the run, or until when. */
  readonly #declined = new Map<string, { runId: string | undefined; until: number }>();

  constructor(secrets: Secrets, values: SecretValues) {
    this.#secrets = secrets;
    this.#values = values;
  }

  /** Rejects with `ValueCancelled` when there is no value, and with the signal's reason when the call is aborted. */
  async ask(input: GetValueInput, context: AskingContext = {}): Promise<AskedValue> {
    const { key } = input;
    const { signal, runId } = context;
    if (!isName(key)) {
      throw valueError("InvalidInput", "key must be a name: letters, digits and _, 64 at most.");
    }
    if (this.#isDeclined(key, runId)) throw cancelled();
    const asking = this.#asking.get(key) ?? this.#enqueue(input, context);
    const ended = await settleWithin(asking, defined({ signal }));
    if (ended === unsettled || signal?.aborted) throw signal?.reason;
    if (ended.value !== undefined) return ended.value;
    this.#declined.set(key, { runId, until: Date.now() + silentMs });
    throw cancelled();
  }

  #enqueue(input: GetValueInput, context: AskingContext): Promise<Ended> {
    const { key } = input;
    const { signal = new AbortController().signal, callId = "", wait } = context;
    const work = async (): Promise<Ended> => {
      if (signal.aborted) return { outcome: "aborted" };
      const asked = (): Promise<Ended> => this.#prompt(input, signal);
      return await (wait === undefined ? asked() : wait({ callId, for: "value", key }, asked));
    };
    const asking = this.#last.then(work).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    this.#last = asking.catch(() => {});
    return asking;
  }

  async #prompt({ key, reason, note }: GetValueInput, signal: AbortSignal): Promise<Ended> {
    const values = this.#values;
    const where = (await values.known()).get(key);
    const request: ValueRequest = {
      ...{ key, reason: modelWords(reason), canKeep: values.canKeep },
      ...defined({ note: note === undefined ? undefined : modelWords(note), known: where }),
    };
    let answer: ValueAnswer | undefined | typeof unsettled;
    try {
      answer = await settleWithin(values.ask?.(request, { signal }), { signal });
    } catch {
      // What it threw may hold what was typed.
      return { outcome: "cancelled" };
    }
    if (answer === unsettled) return { outcome: "aborted" };
    if (answer === undefined) return { outcome: "cancelled" };
    if ("use" in answer) {
      if (where === undefined || (await values.get(key)) === undefined) return { outcome: "cancelled" };
      return { outcome: "known", value: { key, kept: where === "kept", known: true, warnings: [] } };
    }
    const { value, keep = false, note: noted = note } = answer;
    const { warnings } = await this.#secrets.set(key, value, { keep, ...defined({ note: noted }) });
    return { outcome: keep ? "kept" : "given", value: { key, kept: keep, known: false, warnings } };
  }

  #isDeclined(key: string, runId: string | undefined): boolean {
    const declined = this.#declined.get(key);
    if (declined === undefined) return false;
    return runId === undefined ? Date.now() < declined.until : declined.runId === runId;
  }
}

/** Returns a result's data, whose `message` is what a model is to read. */
export function askedData({ key, kept, known, warnings }: AskedValue): Record<string, unknown> {
  const how = known ? "was known already" : kept ? "is kept, and set for this session" : "is set for this session";
  const message = [`${key} ${how}. Use ${placeholder(key)} from the next turn on.`, ...warnings].join(" ");
  return { key, kept, known, message };
}

function cancelled(): ToolError {
  return valueError("ValueCancelled", "The user gave no value. Go on without it; do not ask again.");
}
