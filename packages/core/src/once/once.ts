import { errorText, ignoreRejection, isJson, isThenable, sharedGetter } from "@toolglot/internal";
import { ToolError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { OperationLog, OperationRecord } from "../operation-log.ts";
import { askProbe } from "./doubt.ts";
import { inDoubt, OnceError, type OnceErrorCode } from "./error.ts";
import { type HeldOperation, holdOperation } from "./hold-operation.ts";
import { type OnceOptions, type OncePlan, readPlan, type Verdict } from "./options.ts";

/** What the work gets. */
export interface OnceContext {
  key: string;
  /** Rises with each attempt at any operation of the log: other systems can refuse a smaller one than they have seen. */
  fence: number;
  /** Aborted when the lease is lost, so that somebody else may have taken over, or when the caller's signal is. */
  signal: AbortSignal;
  /** Keeps JSON with the record, in place of what was kept before: what `probe` needs, before the effect. Durable when it resolves. */
  note(data: JsonValue): Promise<void>;
}

/** What was done. */
export interface Once<T> {
  value: T;
  /** It was done before: nothing was done now. */
  replayed: boolean;
  key: string;
  /** When it was done, in milliseconds since the epoch. */
  at: number;
}

/**
 * Does something once, for as long as the log remembers its key. A second call with the same key gets the first one's value; while that
 * runs, it waits. The log knows of the effect before it happens and of its end before any caller: so what nobody knows (a process
 * died in between, an answer got lost) is in doubt, and stays so until somebody settles it.
 *
 * The values are JSON, or `undefined`. What `work` throws goes on, and the key is free again, unless the effect may have happened.
 *
 * Rejects with `TypeError` for a mistake in the options, and with `OnceError`: see its codes for what was done.
 *
 * @example
 * ```ts
 * const which = { scope: "shop/refund", input: { order: 7 }, judge: judgeHttp };
 * const { value, replayed } = await once(log, which, ({ key }) => refund({ order: 7, idempotencyKey: key }));
 * ```
 */
export async function once<T extends JsonValue | undefined>(
  log: OperationLog,
  options: OnceOptions,
  work: (context: OnceContext) => T | Promise<T>,
): Promise<Once<T>> {
  const plan = await readPlan(log, options);
  for (;;) {
    plan.signal?.throwIfAborted();
    const found = await recorded(plan, holdOperation(log, plan.request, plan));
    if ("claim" in found) return await new Attempt<T>(log, plan, found).run(work);
    const { status, record } = found;
    if (status === "replay") return replay<T>(record);
    if (status !== "in-doubt") {
      plan.signal?.throwIfAborted();
      throw failure(refusals[status], record);
    }
    if (!(await recorded(plan, askProbe(log, plan, record)))) throw inDoubt(record);
  }
}

const refusals = {
  busy: ["once/busy", "is done by another caller, and was not waited for any longer. Nothing was done here."],
  conflict: ["once/conflict", "was used with another input: take another key. Nothing was done."],
  expired: ["once/expired", "was done so long ago that its value is forgotten. Nothing was done now."],
} as const;
const lost = ["once/lost", "was done or not: this caller doesn't know. Ask again with the same key."] as const;

function failure(
  [code, text]: readonly [OnceErrorCode, string],
  about: OncePlan | OperationRecord,
  cause?: unknown,
): OnceError {
  const record = "state" in about ? about : undefined;
  return new OnceError(code, `${JSON.stringify(about.key)} ${text}`, about, { record, cause });
}

/** Waits for the log before anything was done. */
async function recorded<Value>(plan: OncePlan, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (OnceError.isInstance(error)) throw error;
    const text = `could not be written down, so it was not begun (${errorText(error)}). Nothing was done.`;
    throw failure(["once/not-recorded", text], plan, error);
  }
}

function replay<T>({ key, state, outcome, finishedAt = 0 }: OperationRecord): Once<T> {
  const { value, message, name, isToolError } = Object(outcome) as Record<string, unknown>;
  if (state === "done") return { value: value as T, replayed: true, key, at: finishedAt };
  const text = String(message);
  throw isToolError ? new ToolError(text) : Object.assign(new Error(text), { name });
}

/** One run of the work, under a claim. */
class Attempt<T extends JsonValue | undefined> {
  readonly #log: OperationLog;
  readonly #plan: OncePlan;
  readonly #held: HeldOperation;

  constructor(log: OperationLog, plan: OncePlan, held: HeldOperation) {
    this.#log = log;
    this.#plan = plan;
    this.#held = held;
  }

  async run(work: (context: OnceContext) => T | Promise<T>): Promise<Once<T>> {
    const held = this.#held;
    try {
      await this.#begin();
      let value: T;
      try {
        value = await work(this.#context());
      } catch (error) {
        return await this.#failed(error);
      }
      if (value !== undefined && !isJson(value)) {
        const text = "the value is no JSON: return JSON, or undefined";
        await this.#doubt(text);
        throw failure(["once/lost", `was done, but ${text}. It is in doubt now.`], this.#plan);
      }
      const at = Math.round(held.now());
      const outcome: JsonValue = value === undefined ? {} : { value };
      const isKept = await held.end({ state: "done", outcome }).catch((error) => {
        throw failure(lost, this.#plan, error);
      });
      if (!isKept) throw failure(lost, this.#plan);
      return { value, replayed: false, key: this.#plan.key, at };
    } finally {
      await held.stop();
    }
  }

  async #begin(): Promise<void> {
    const { signal } = this.#plan;
    const begun = signal?.aborted ? false : await recorded(this.#plan, this.#held.begin()).catch((error) => error);
    if (begun === true) return;
    // It may have been written after all. Nothing was done, so the key is given back.
    await this.#release();
    signal?.throwIfAborted();
    throw begun || failure(refusals.busy, this.#held.record);
  }

  #context(): OnceContext {
    const held = this.#held;
    return new Context(this.#plan.key, held, async (data) => {
      if (!isJson(data)) throw new TypeError("note takes JSON.");
      if (!(await held.begin(data))) throw failure(lost, this.#plan);
    });
  }

  /** The work threw: ends the operation as the error is judged. Never resolves but with a probe's word. */
  async #failed(error: unknown): Promise<Once<T>> {
    const { judge, effect, remember, signal, key } = this.#plan;
    const held = this.#held;
    const verdict = signal?.aborted || held.isLost ? "unknown" : judged(judge, error);
    if (verdict === "failed" && remember) {
      const { name } = Object(error) as Error;
      const outcome = { message: errorText(error), name: String(name), isToolError: ToolError.isInstance(error) };
      await held.end({ state: "failed", outcome }).catch(() => false);
      throw error;
    }
    if (verdict !== "unknown") {
      await this.#release();
      throw error;
    }
    if (effect === "idempotent" && (await this.#release())) {
      throw failure(
        ["once/lost", `may have happened or not (${errorText(error)}). It runs again when it is asked for.`],
        this.#plan,
        error,
      );
    }
    const record = (await this.#doubt(errorText(error))) ?? held.record;
    if (record.state !== "in-doubt") throw failure(lost, this.#plan, error);
    const answer = await askProbe(this.#log, this.#plan, record).catch(() => undefined);
    const known = answer && (await this.#log.read(record).catch(() => undefined));
    if (known?.state === "done") return { ...replay<T>(known), replayed: false, key };
    throw answer?.happened === false ? error : inDoubt(record, error);
  }

  /** Puts the operation in doubt. What can't be written is in doubt by its lease. */
  async #doubt(reason: string): Promise<OperationRecord | undefined> {
    const { claim } = this.#held;
    try {
      return (await this.#log.doubt(claim, reason)) ? await this.#log.read(claim) : undefined;
    } catch {
      return undefined;
    }
  }

  async #release(): Promise<boolean> {
    return await this.#held.end({ state: "released" }).catch(() => false);
  }
}

function judged(judge: OnceOptions["judge"], error: unknown): Verdict {
  try {
    const verdict: unknown = judge?.(error);
    if (isThenable(verdict)) ignoreRejection(verdict);
    return verdict === "not-applied" || verdict === "failed" ? verdict : "unknown";
  } catch {
    return "unknown";
  }
}

/** The signal is made when somebody looks at it. */
class Context implements OnceContext {
  static readonly #signal: PropertyDescriptor = /* @__PURE__ */ sharedGetter(function (this: Context) {
    return this.#held.signal;
  });

  readonly key: string;
  readonly fence: number;
  declare readonly signal: AbortSignal;
  readonly note: OnceContext["note"];
  readonly #held: HeldOperation;

  constructor(key: string, held: HeldOperation, note: OnceContext["note"]) {
    this.key = key;
    this.fence = held.claim.fence;
    this.note = note;
    this.#held = held;
    Object.defineProperty(this, "signal", Context.#signal);
  }
}
