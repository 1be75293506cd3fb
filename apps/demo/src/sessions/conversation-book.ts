import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, ProgramLanguage } from "@toolglot/core";
import { isProtocol, type ProtocolName } from "../cli/protocols.ts";

/** The turn of a session's programs, by their language. */
export type Turns = Partial<Record<ProgramLanguage, number>>;

/** One question of a session, with all that followed from it. */
export interface SessionQuestion {
  /** The turns after it. */
  turns: Turns;
  /** ISO time. */
  at: string;
  /** How the model asked for tools; absent when an older demo kept it. */
  protocol?: string;
  messages: Message[];
}

const version = 2;

/** The conversation of one session, in a file beside its images: a model that goes on reads what was asked before. */
export class ConversationBook {
  readonly #file: string;
  /** The file as this process knows it. */
  #text: string;
  #questions: SessionQuestion[];

  /** Throws an error when the file is there and can't be read. */
  constructor(folder: string, name: string) {
    this.#file = join(folder, `${name}.json`);
    this.#text = textOf(this.#file);
    this.#questions = readQuestions(this.#file, this.#text);
  }

  /** Whether nothing is kept yet. */
  get isNew(): boolean {
    return this.#text === "";
  }

  get questions(): readonly SessionQuestion[] {
    return this.#questions;
  }

  /** The conversation so far, without instructions. */
  get messages(): Message[] {
    return this.#questions.flatMap(({ messages }) => messages);
  }

  /** The turns after the last question. */
  get turns(): Turns {
    return this.#questions.at(-1)?.turns ?? {};
  }

  /** The protocol of the last question; undefined when there is none, or when it needs flags of its own. */
  get protocol(): ProtocolName | undefined {
    const { protocol = "" } = this.#questions.at(-1) ?? {};
    return isProtocol(protocol) && !protocol.startsWith("trp") ? protocol : undefined;
  }

  /** Adds what a run came to: its whole conversation, of which the part that is not known yet is kept. Throws as {@link takeBack}. */
  keep(messages: readonly Message[], turns: Turns, protocol: string): void {
    const said = messages.filter(({ role }) => role !== "system").slice(this.messages.length);
    this.#write([...this.#questions, { turns, at: new Date().toISOString(), protocol, messages: said }]);
  }

  /** Forgets the last questions; the one before them was left at `turns`. Throws an error when another process has gone on with the session. */
  takeBack(count: number, turns: Turns): void {
    const rest = this.#questions.slice(0, Math.max(0, this.#questions.length - count));
    this.#write(rest.map((question, index) => (index === rest.length - 1 ? { ...question, turns } : question)));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
    this.#text = "";
    this.#questions = [];
  }

  #write(questions: SessionQuestion[]): void {
    if (textOf(this.#file) !== this.#text)
      throw new Error(`Another process has gone on with the session of ${this.#file}: this is not kept in it.`);
    const draft = `${this.#file}.${process.pid}.new`;
    const text = `${JSON.stringify({ version, questions })}\n`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, this.#file);
    this.#text = text;
    this.#questions = questions;
  }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

function readQuestions(file: string, text: string): SessionQuestion[] {
  if (text === "") return [];
  try {
    const kept = JSON.parse(text) as { version: number; questions: (SessionQuestion & { turn: number })[] };
    if (kept.version === version && Array.isArray(kept.questions)) return kept.questions;
    // Before sessions had other programs than those in Python.
    if (kept.version === 1) return kept.questions.map(({ turn, ...rest }) => ({ ...rest, turns: { python: turn } }));
  } catch {
    // Said below, as for what is no conversation.
  }
  throw new Error(`${file} is not as the demo wrote it: remove or restore it.`);
}
