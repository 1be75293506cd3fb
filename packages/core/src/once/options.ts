import { canonicalJson, checkKeys, gotText, isJson, merged, randomHex, textDigest } from "@toolglot/internal";
import type { JsonValue } from "../json.ts";
import type { ClaimRequest, OperationLog } from "../operation-log.ts";
import { checkClaimRequest } from "../operation-rules.ts";

/** What an error means for the effect: it did not happen, it happened in vain and may be tried again, or nobody knows. */
export type Verdict = "not-applied" | "failed" | "unknown";

/** What a probe found out. */
export type ProbeAnswer = { happened: true; value: JsonValue | undefined } | { happened: false };

/** Asked about a doubt: the operation's key, and what `note` has kept of the attempt. */
export interface ProbeContext {
  key: string;
  data?: JsonValue;
  signal: AbortSignal;
}

/** Options of `once`. */
export interface OnceOptions {
  /** Whose and what: `tenant/refund`. The same key in another scope is another operation. */
  scope: string;
  /** Which: 1 to 512 characters. Default: made from `input`, so that the same input is the same operation. */
  key?: string;
  /** What it is done with. With `key`: the same key with another input is a conflict. JSON of any size. */
  input?: JsonValue;
  /**
   * What running it twice would do. `opaque` (default): nobody knows, so it is never run again after a doubt. `idempotent`: nothing
   * more, so an attempt that was given up or whose outcome is unknown runs again.
   */
  effect?: "opaque" | "idempotent";
  /** Judges by an error whether the effect may have happened. Default: `unknown` for every error. Ready-made: `judgeHttp`, `judgeMcp`. */
  judge?: (error: unknown) => Verdict;
  /**
   * Asks the other system about a doubt, before anybody is asked. `happened: false` must mean that it can't happen any more, either.
   * `undefined`, and an error: it does not know.
   */
  probe?: (context: ProbeContext) => Promise<ProbeAnswer | undefined>;
  /** Milliseconds to wait for another caller that runs it. Default 30,000. */
  waitMs?: number;
  /** Milliseconds after which an attempt of a dead process is given up. It is renewed while the work runs. Default 60,000. */
  leaseMs?: number;
  /** Milliseconds for which the value is remembered. Default 24 h. */
  ttlMs?: number;
  /** Milliseconds after that for which the key is still known, so that it is not done again. Default 7 days. */
  keepMs?: number;
  /** `failures`: what `judge` calls `failed` is final, too. The same key throws it again, with its message. */
  remember?: "failures";
  /** Allows a log that forgets at exit for an `opaque` effect. Default false. */
  allowVolatile?: boolean;
  /** Who does it, for people who read the log. Default: a random name for this process. */
  owner?: string;
  /** Ends the waiting. After the beginning it is the work's to obey, and what the work throws then is `unknown`. */
  signal?: AbortSignal;
  /** The log's clock: a storage's `now`. Default: reckoned from the log's answers. */
  now?: () => number;
}

/** All that `once` needs, with its defaults. */
export interface OncePlan extends OnceOptions {
  key: string;
  waitMs: number;
  request: ClaimRequest;
}

/** Of this process. */
let processName: string | undefined;

const day = 24 * 60 * 60 * 1000;
const maxKey = 512;

/** Resolves with what `once` is to do. Rejects with `TypeError` for a mistake in the options, before anything is written. */
export async function readPlan(log: OperationLog, options: OnceOptions): Promise<OncePlan> {
  // JSON of any kind: it is looked at below.
  const { input, ...named } = options;
  checkKeys(
    "once",
    named,
    [
      'scope:text key:text effect:"opaque"|"idempotent" judge:function probe:function remember:"failures"',
      "waitMs:number leaseMs:number ttlMs:number keepMs:number allowVolatile:boolean owner:text signal:signal now:function",
    ],
    ["scope"],
  );
  const { scope, effect, waitMs = 30_000, leaseMs = 60_000, ttlMs = day, keepMs = 7 * day } = options;
  if (log.durability === "none" && effect !== "idempotent" && !options.allowVolatile) {
    throw new TypeError(
      "once: this log forgets everything at exit, and the effect then happens again. Take a durable one, or pass { allowVolatile: true }.",
    );
  }
  if (!(waitMs >= 0)) throw new TypeError("once: waitMs must be a number of milliseconds, 0 or more");
  if (input === undefined && options.key === undefined)
    throw new TypeError("once needs a key, or an input to make it from.");
  if (input !== undefined && !isJson(input)) throw new TypeError(`once: input must be JSON, not ${gotText(input)}.`);
  const digest = input === undefined ? "" : await textDigest(canonicalJson(input));
  const key = options.key ?? `fx1:${digest}`;
  if (options.key !== undefined && key.length > maxKey)
    throw new TypeError(`once: a key has 1 to ${maxKey} characters. Leave it out, and it is made from the input.`);
  const abandoned = effect === "idempotent" ? "reclaim" : "doubt";
  processName ??= randomHex(8);
  const { owner = processName } = options;
  const request: ClaimRequest = { scope, key, fingerprint: digest, owner, leaseMs, ttlMs, keepMs, abandoned };
  checkClaimRequest(request);
  return merged(options, { key, waitMs, request });
}
