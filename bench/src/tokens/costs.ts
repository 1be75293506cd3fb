import type { Task } from "./content.ts";
import type { Tokenizer } from "./count.ts";
import type { Form } from "./forms.ts";

/** What a task costs, in tokens. */
export interface Cost {
  /** Turns with tools; one more gives the answer. */
  turns: number;
  /** By the model, without its answer. */
  written: number;
  /** Back from tools. */
  results: number;
  /** All that is read and written until the answer begins, when nothing is cached: every turn reads prompt and history. */
  processed: number;
}

/** Tokens of a form's prompt, in English. */
export function promptLength({ prompt }: Form, { count }: Tokenizer): number {
  const { instructions, tools } = prompt("en");
  return count(instructions) + count(tools);
}

/** Plays a task: turn after turn until the answer. */
export function costOf(task: Task, form: Form, tokenizer: Tokenizer): Cost {
  const turns = form.turns(task);
  const cost: Cost = { turns: turns.length, written: 0, results: 0, processed: 0 };
  let context = promptLength(form, tokenizer);
  for (const { call, result } of turns) {
    const written = tokenizer.count(call);
    const read = tokenizer.count(result);
    cost.written += written;
    cost.results += read;
    cost.processed += context + written;
    context += written + read;
  }
  cost.processed += context;
  return cost;
}

/** What a form with a longer prompt comes to beside another. */
export interface BreakEven {
  /** Tokens that its prompt is longer. */
  longer: number;
  /** Tokens that it saves with a call and its result; negative when it needs more. */
  saved: number;
  /** Calls until the conversation is no longer than the other form's. Infinity: never. */
  calls: number;
  /** Calls, a turn each, until no more was read and written, when every turn reads all anew. Infinity: never. */
  uncached: number;
}

/** After how many of these calls a form's longer prompt is paid for. */
export function breakEven(task: Task, form: Form, other: Form, tokenizer: Tokenizer): BreakEven {
  const longer = promptLength(form, tokenizer) - promptLength(other, tokenizer);
  const mine = costOf(task, form, tokenizer);
  const theirs = costOf(task, other, tokenizer);
  const savedWriting = theirs.written - mine.written;
  const saved = savedWriting + theirs.results - mine.results;
  // n calls are n + 1 turns; the exchange before turn i is read in it and in all later ones.
  const balance = (n: number): number => (saved * n * (n + 1)) / 2 + savedWriting * n - longer * (n + 1);
  let uncached = 1;
  while (balance(uncached) < 0 && uncached < 100_000) uncached += 1;
  return {
    longer,
    saved,
    calls: longer <= 0 ? 0 : saved > 0 ? Math.ceil(longer / saved) : Number.POSITIVE_INFINITY,
    uncached: balance(uncached) < 0 ? Number.POSITIVE_INFINITY : uncached,
  };
}
