import { ToolglotError } from "@toolglot/core";
import { replayDivergence } from "../codes.ts";
import { playedAdvice } from "../loop/retry.ts";
import type { RunError } from "../result.ts";
import type { Divergence, Player } from "./player.ts";
import type { Crossing } from "./types.ts";

/** What was thrown then. */
export function toError({ code, message, data }: RunError): Error {
  // Codes that the loop gave itself stand for foreign errors, which have none.
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

/** Errors that said, when they were recorded, that a request was too long. */
export const overflows: WeakSet<object> = new WeakSet();

/** What a model threw then, with what was made of it. */
export function playedError({ error, isOverflow, retry }: Extract<Crossing, { type: "model-error" }>): Error {
  const thrown = toError(error);
  playedAdvice.set(thrown, retry);
  if (isOverflow) overflows.add(thrown);
  return thrown;
}

/** Something else comes than was recorded. */
export function outOfOrder(player: Player, now: string, crossing: Crossing | undefined): ToolglotError {
  return diverged(player.diverge("order", "the order of things", crossing?.type ?? "the end of the recording", now));
}

export function diverged({ what, message }: Divergence): ToolglotError {
  return new ToolglotError(replayDivergence, message, { data: { what } });
}
