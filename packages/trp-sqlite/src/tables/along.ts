import { type Along, entryText } from "@toolglot/trp-core/store";
import type { Transaction } from "../transaction.ts";
import { type AnswerText, answerText, keepAnswer } from "./answers.ts";

/** What goes along with a step, as it is kept; made when the step is asked for. */
export interface AlongText {
  audit: string[];
  answer: AnswerText | undefined;
}

export function alongText({ audit = [], answer }: Along = {}): AlongText {
  return { audit: audit.map(entryText), answer: answer && answerText(answer) };
}

export function writeAlong(tx: Transaction, { audit, answer }: AlongText): void {
  tx.audit(audit);
  if (answer) keepAnswer(tx, answer);
}
