import type { Locale } from "@toolglot/core";
import { furtherStep, isContent, readTokens, writtenAs } from "../reading/tokens.ts";
import type { Task, Unread } from "../task.ts";
import { type Say, sayIn } from "../text.ts";
import { readArithmetic } from "./arithmetic.ts";
import { readChain } from "./chain.ts";
import { readData, readNamed, readSql } from "./data/index.ts";
import { readAsk, readDocuments } from "./documents.ts";
import { readDelete, readExport, readNotify, readTicket } from "./effects.ts";
import { readProject } from "./project/index.ts";

export { default as skills } from "../words/skills.json" with { type: "json" };

type Reader = (question: string, say: Say, now: Date) => Task | Unread | undefined;

/** In this order: the first that takes a request in whole is taken; what one claims and can't take in whole is declined. */
const copying: readonly Reader[] = [readSql, readTicket, readNotify];
const steps: readonly Reader[] = [readDelete, readExport, readProject, readChain, furtherStep];
const readers = [...copying, ...steps, readData, readDocuments, readArithmetic, readNamed, readAsk];

/** A request of more characters is none that these rules understand; only what is copied as it stands may be long. */
const maxLength = 2000;

/** What a request asks for; of one that is not understood whole, what was left over. */
export function readTask(asked: string, language: Locale, now: Date = new Date()): Task | Unread {
  const question = asked.replace(/^(?:(?:please|can you)\s+|请(?!求)问?|帮我)+/i, "");
  const long = question.length > maxLength;
  let claimed: Unread | undefined;
  for (const read of long ? copying : readers) {
    const found = read(question, sayIn(language), now);
    // A sum among other words may be no sum.
    if (found && "unread" in found && read === readArithmetic) claimed = found;
    else if (found) return found;
  }
  const tokens = readTokens(question, now);
  return claimed ?? { unread: long ? [question] : writtenAs(question, tokens, tokens.filter(isContent)) };
}
