import type { FrameStore } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { type AnswerText, sameTransactionText, writeSameTransaction } from "../tables/answers.ts";
import type { FrameQueue } from "./frame-queue.ts";
import type { Steps } from "./steps.ts";

/** Whether an answer is the outcome of its frame's only call, as most are. */
export const isPlain = (answer: AnswerText): boolean => answer.reply !== undefined && answer.callId !== undefined;

/** The steps of a session that every call needs, written together with those of others where nothing stands in the way. */
export function fastFrames(database: Database, queue: FrameQueue, steps: Steps): Pick<FrameStore, "admit" | "answer"> {
  return {
    admit: (admission) => queue.admit(admission),
    async answer(answer, together) {
      const beside = sameTransactionText({ ...together, answer });
      const isUsual = beside.answer !== undefined && isPlain(beside.answer);
      if (isUsual && (await steps.ask({ operation: undefined, beside })) === "written") return;
      await database.write((tx) => writeSameTransaction(tx, beside));
    },
  };
}
