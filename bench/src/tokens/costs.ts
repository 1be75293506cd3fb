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
  const conversation = new Conversation(task, form, tokenizer);
  conversation.repeat();
  const { turns, processed, length } = conversation;
  const sum = (of: "written" | "read"): number => turns.reduce((total, turn) => total + turn[of], 0);
  return { turns: turns.length, written: sum("written"), results: sum("read"), processed: processed + length };
}

/** The total cost of a form with a longer prompt, compared with another. */
export interface BreakEven {
  /** Tokens that its prompt is longer. */
  longer: number;
  /** Tokens that it saves with a task's calls and results; negative when it needs more. */
  saved: number;
  /** Times until the conversation is no longer than the other form's. Infinity: never. */
  length: number;
  /** Times until no more was read and written in all, when every turn reads all anew. Infinity: never. */
  uncached: number;
}

/** More repetitions than any model has room for. */
const manyTimes = 10_000;

/** How often a task has to come up in one conversation until a form's longer prompt is paid for. */
export function breakEven(task: Task, form: Form, other: Form, tokenizer: Tokenizer): BreakEven {
  const mine = new Conversation(task, form, tokenizer);
  const theirs = new Conversation(task, other, tokenizer);
  const longer = mine.length - theirs.length;
  let [length, uncached] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let saved = 0;
  for (let times = 1; times <= manyTimes && !Number.isFinite(length + uncached); times += 1) {
    mine.repeat();
    theirs.repeat();
    if (times === 1) saved = longer - (mine.length - theirs.length);
    if (mine.length <= theirs.length) length = Math.min(length, times);
    // The answer's turn reads all once more.
    if (mine.processed + mine.length <= theirs.processed + theirs.length) uncached = Math.min(uncached, times);
  }
  return { longer, saved, length, uncached };
}

/** One conversation in which a task comes up again and again. */
class Conversation {
  /** Tokens of the prompt and of all that was written since. */
  length: number;
  /** Tokens read and written so far, when every turn reads all anew. */
  processed = 0;
  readonly turns: readonly { written: number; read: number }[];

  constructor(task: Task, form: Form, tokenizer: Tokenizer) {
    this.length = promptLength(form, tokenizer);
    this.turns = form.turns(task).map(({ call, result }) => ({
      written: tokenizer.count(call),
      read: tokenizer.count(result),
    }));
  }

  repeat(): void {
    for (const { written, read } of this.turns) {
      this.processed += this.length + written;
      this.length += written + read;
    }
  }
}
