import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@toolglot/core";

/** One question of a session, with all that followed from it. */
export interface SessionQuestion {
  /** The session's turn after it. */
  turn: number;
  /** ISO time. */
  at: string;
  messages: Message[];
}

const version = 1;

/** The conversation of one session, in a file beside its images: a model that goes on reads what was asked before. */
export class ConversationBook {
  readonly #file: string;
  #questions: SessionQuestion[];

  /** Throws an error when the file is there and can't be read. */
  constructor(folder: string, name: string) {
    this.#file = join(folder, `${name}.json`);
    this.#questions = readQuestions(this.#file);
  }

  get questions(): readonly SessionQuestion[] {
    return this.#questions;
  }

  /** The conversation so far, without instructions. */
  get messages(): Message[] {
    return this.#questions.flatMap(({ messages }) => messages);
  }

  /** Adds what a run came to: its whole conversation, of which the part that is not known yet is kept. */
  keep(messages: readonly Message[], turn: number): void {
    const said = messages.filter(({ role }) => role !== "system").slice(this.messages.length);
    this.#write([...this.#questions, { turn, at: new Date().toISOString(), messages: said }]);
  }

  /** Forgets the last questions; the one before them was left at `turn`. */
  takeBack(count: number, turn: number): void {
    const rest = this.#questions.slice(0, Math.max(0, this.#questions.length - count));
    this.#write(rest.map((question, index) => (index === rest.length - 1 ? { ...question, turn } : question)));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
    this.#questions = [];
  }

  #write(questions: SessionQuestion[]): void {
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${JSON.stringify({ version, questions })}\n`, { mode: 0o600 });
    renameSync(draft, this.#file);
    this.#questions = questions;
  }
}

function readQuestions(file: string): SessionQuestion[] {
  if (!existsSync(file)) return [];
  try {
    const kept = JSON.parse(readFileSync(file, "utf8")) as { version: number; questions: SessionQuestion[] };
    if (kept.version === version && Array.isArray(kept.questions)) return kept.questions;
  } catch {
    // Said below, as for what is no conversation.
  }
  throw new Error(`${file} is not as the demo wrote it: remove or restore it.`);
}
