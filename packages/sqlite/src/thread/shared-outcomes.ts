import { isObject } from "@toolglot/internal";
import { type Answer, type CallOutcome, isReply, outcomeOf } from "@toolglot/trp-core/store";

// Usually a frame has one call, and the reply to the frame and the outcome of the call are the same object. It goes to
// the thread once and is one object there again, so that the store writes it once.

type Packed = Omit<Required<Answer>, "outcomes"> & { outcomes: [callId: string, outcome: CallOutcome | "reply"][] };

/** Returns the arguments of a method, in which the word `reply` stands for each outcome that is the same as the reply. */
export function packOutcomes(given: unknown[]): unknown[] {
  return given.map((value) => {
    if (!isObject(value)) return value;
    if (isAnswer(value)) return packed(value);
    return isAnswer(value.answer) ? { ...value, answer: packed(value.answer) } : value;
  });
}

/** Restores the outcomes that {@link packOutcomes} has replaced. */
export function unpackOutcomes(given: unknown[]): void {
  for (const value of given) {
    if (!isObject(value)) continue;
    const answer = isAnswer(value) ? value : value.answer;
    if (isAnswer(answer)) unpack(answer as Packed);
  }
}

function isAnswer(value: unknown): value is Required<Answer> {
  return isObject(value) && isObject(value.reply) && Array.isArray(value.outcomes);
}

function packed(answer: Required<Answer>): Packed {
  const { reply, outcomes } = answer;
  return { ...answer, outcomes: outcomes.map(([callId, end]) => [callId, isReply(end, reply) ? "reply" : end]) };
}

function unpack({ reply, outcomes }: Packed): void {
  for (const each of outcomes) if (each[1] === "reply") each[1] = outcomeOf(reply);
}
