import type { Admission, FrameStore } from "@toolglot/trp-core/store";
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
    async answer(answer, { ifAdmitted, ...together } = {}) {
      const beside = sameTransactionText({ ...together, answer });
      const plain = beside.answer && isPlain(beside.answer) ? beside.answer : undefined;
      const after = async (): Promise<undefined> => {
        if (plain !== undefined && (await steps.ask({ operation: undefined, beside })) === "written") return;
        await database.write((tx) => writeSameTransaction(tx, beside));
      };
      if (ifAdmitted === undefined) return await after();
      return await queue.join<undefined | "not-admitted">(ifAdmitted, {
        joint: (admission) =>
          plain?.reply !== undefined && isOwn(plain, admission) ? { reply: plain.reply, beside } : undefined,
        result: () => ({ value: undefined }),
        after,
        refused: "not-admitted",
      });
    },
  };
}

/** Whether an answer is that to the only call of a frame. */
function isOwn({ sessionId, frameId, callId }: AnswerText, admission: Admission): boolean {
  const [call] = admission.calls;
  return sessionId === admission.sessionId && frameId === admission.frameId && callId === call?.callId;
}
