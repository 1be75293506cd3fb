import { ToolglotError } from "@toolglot/core";
import { replayDivergence } from "../codes.ts";
import { playedAdvice } from "../loop/retry.ts";
import type { RunError } from "../result.ts";
import type { Divergence, Player } from "./player.ts";
import type { Crossing } from "./types.ts";

/** Returns a recorded error as it was thrown. */
export function toError({ code, message, data }: RunError): Error {
  // These are the loop's codes for foreign errors, which have none.
  const foreign = [
    "agent/model-failed",
    "agent/executor-failed",
    "agent/approve-failed",
    "agent/ask-failed",
    "agent/tools-failed",
    "agent/hook-failed",
    "agent/session-failed",
  ].includes(code);
  return foreign ? new Error(message) : new ToolglotError(code, message, { data: data ?? {} });
}

/** Errors that meant, when they were recorded, that a request was too long. */
export const overflows: WeakSet<object> = new WeakSet();

/** Returns a recorded error of a model, with the loop's judgement of it. */
export function playedError({ error, isOverflow, retry }: Extract<Crossing, { type: "model-error" }>): Error {
  const thrown = toError(error);
  playedAdvice.set(thrown, retry);
  if (isOverflow) overflows.add(thrown);
  return thrown;
}

/** Returns the error of a step that comes in another order than recorded. */
export function outOfOrder(player: Player, now: string, crossing: Crossing | undefined): ToolglotError {
  return diverged(player.diverge("order", "the order of things", crossing?.type ?? "the end of the recording", now));
}

export function diverged({ what, message }: Divergence): ToolglotError {
  return new ToolglotError(replayDivergence, message, { data: { what } });
}
