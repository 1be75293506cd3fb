import { ToolglotError } from "@toolglot/core";
import { isObject, retryAfter } from "@toolglot/internal";
import type { RetryOptions } from "../options.ts";
import { orStopped } from "../stop.ts";
import type { Run } from "./run.ts";

/**
 * Advice whether a request that failed before its first part may be made again: `no`; `once`, at once, where the error has no known
 * cause; or `later`, after `afterMs` where the server named a time.
 */
export interface RetryAdvice {
  again: "no" | "once" | "later";
  afterMs?: number;
}

/** Broken connections, and servers that are too busy, in the words of their clients. */
const passing =
  /ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|UNREACH|UND_ERR|socket hang up|connection (?:error|reset|closed|lost)|(?:fetch|load) failed|network ?error|terminated|premature close|overloaded|throttl|too many requests|service ?unavailable/i;

/** Money does not come back by waiting. */
const spent = /insufficient_quota|billing|credit balance/i;

/** Advice that a replay has from its recording. */
export const playedAdvice: WeakMap<object, RetryAdvice> = new WeakMap();

/** Returns whether the cause of an error may pass. An adapter's own error (`ToolglotError`) is final: the adapter has tried what it could. */
export function adviceOf(error: unknown, now: number): RetryAdvice {
  const played = isObject(error) ? playedAdvice.get(error) : undefined;
  if (played) return played;
  if (ToolglotError.isInstance(error)) return { again: "no" };
  const statuses: number[] = [];
  const texts: string[] = [];
  let afterMs: number | undefined;
  let each = error;
  for (let depth = 0; depth < 5 && each instanceof Object; depth += 1) {
    const found = each as Record<string, unknown>;
    const [metadata, response] = [found.$metadata, found.response].map((one) => Object(one) as Record<string, unknown>);
    for (const one of [found.status, found.statusCode, metadata?.httpStatusCode, response?.status, found.code])
      if (typeof one === "number") statuses.push(one);
    for (const one of [found.name, found.message, found.code, found.type])
      if (typeof one === "string") texts.push(one.slice(0, 2000));
    for (const one of [found.headers, found.responseHeaders, response?.headers])
      if (one instanceof Object) afterMs ??= retryAfter(one as Record<string, string>, now);
    each = found.cause ?? found.lastError ?? found.error;
  }
  const text = texts.join("\n");
  const mayPass = statuses.find((status) => status >= 400);
  if (spent.test(text)) return { again: "no" };
  if (mayPass === undefined ? passing.test(text) : isPassing(mayPass))
    return { again: "later", ...(afterMs !== undefined && { afterMs }) };
  const isBug = /^(?:Type|Reference|Syntax|Range)Error$/m.test(texts[0] ?? "");
  return { again: mayPass !== undefined || isBug ? "no" : "once" };
}

/** Whether a status means too early, too often, too busy, or the server's own fault; 529 is Anthropic's for overloaded. */
const isPassing = (status: number): boolean =>
  [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);

/** Returns how long to wait before the next of `options.attempts` requests, of which `made` were made; undefined: none is to be made. */
export function delayBefore(advice: RetryAdvice, made: number, options: Required<RetryOptions>): number | undefined {
  if (made >= options.attempts || advice.again === "no" || (advice.again === "once" && made > 1)) return undefined;
  if (advice.again === "once") return 0;
  // Sooner than the server's time would be in vain.
  if (advice.afterMs !== undefined) return advice.afterMs <= options.maxMs ? advice.afterMs : undefined;
  return Math.min(options.maxMs, options.baseMs * 2 ** (made - 1));
}

/** Waits by the run's clock; ends at once with its signal, as `orStopped` does. */
export async function waitFor({ settings }: Run, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return;
  let cancel = (): void => {};
  try {
    await orStopped(
      new Promise<void>((resolve) => {
        cancel = settings.runtime.startTimer("retry", ms, resolve);
      }),
      signal,
    );
  } finally {
    cancel();
  }
}
