import { ToolError } from "@toolglot/core";

/** The calls of one answer. */
interface Answer {
  /** They are steps of a plan: after a failure the rest is not run. */
  isPlan: boolean;
  /** When all that was begun has ended. */
  last: Promise<unknown>;
  failed: boolean;
}

/** So many calls are remembered; older ones are of answers that are long over. */
const maxCalls = 10_000;

/** Which answer a call is of. Of this process: after a reload nothing is known, and calls are ordered as they arrive. */
const answers = new Map<string, Answer>();

/** Remembers the calls of an answer; returns what takes their ids. */
export function openAnswer(isPlan: boolean): (callId: string) => void {
  const answer: Answer = { isPlan, last: Promise.resolve(), failed: false };
  return (callId) => {
    answers.set(callId, answer);
    for (const [oldest] of answers) {
      if (answers.size <= maxCalls) break;
      answers.delete(oldest);
    }
  };
}

/** Checks whether a call is a step of a plan. */
export const isStepOfPlan = (callId: string): boolean => answers.get(callId)?.isPlan === true;

/** Line in which calls wait of which no answer is known. */
export interface Line {
  last: Promise<unknown>;
}

/**
 * Waits until the calls before this one have ended; the function that it returns must be called when this one has. Throws a `ToolError`
 * when the call is a step of a plan, and one before it failed.
 */
export async function takeTurn(callId: string, line: Line): Promise<(failed: boolean) => void> {
  const answer = answers.get(callId);
  const place = answer ?? line;
  const before = place.last;
  let end: () => void = () => undefined;
  place.last = new Promise<void>((resolve) => {
    end = resolve;
  });
  await before;
  if (answer?.isPlan && answer.failed) {
    end();
    throw new ToolError("Not run, because a step before it in the same plan failed.");
  }
  return (failed) => {
    if (answer && failed) answer.failed = true;
    end();
  };
}
