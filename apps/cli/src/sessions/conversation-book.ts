import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Message, ProgramLanguage } from "@toolglot/core";
import { isProtocol, type ProtocolName } from "../cli/protocol-names.ts";
import { parseOwn, readOwn, writeOwn } from "../config/own-file.ts";
import { automaticPrefix, isAutomatic } from "./session-names.ts";

/** The turn of a session's programs, by their language. */
export type Turns = Partial<Record<ProgramLanguage, number>>;

/** One question of a session, with all that followed from it. */
export interface SessionQuestion {
  /** The turns after it. */
  turns: Turns;
  /** ISO time. */
  at: string;
  /** How the model asked for tools; absent when an older version kept it. */
  protocol?: string;
  messages: Message[];
}

const version = 2;

/** The conversation of one session, in a file beside its images: a model that takes it up reads what was asked before. */
export class ConversationBook {
  readonly #file: string;
  /** The file as this process knows it. */
  #text: string;
  #questions: SessionQuestion[];
  /** Where the conversation began: `--continue` finds it there. */
  readonly startFolder: string | undefined;

  /** `startFolder`: of a new one. Throws an error when the file is there and can't be read. */
  constructor(folder: string, name: string, startFolder?: string) {
    this.#file = join(folder, `${name}.json`);
    this.#text = readOwn(this.#file);
    const book = this.isNew ? { questions: [] } : parseOwn(this.#file, this.#text, version, "questions");
    this.#questions = book.questions as SessionQuestion[];
    this.startFolder = (book as { startFolder?: string }).startFolder ?? startFolder;
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

  /** Forgets the last questions; the one before them was left at `turns`. Throws an error when another process has written to the session. */
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
    if (readOwn(this.#file) !== this.#text)
      throw new Error(`Another process has written to the session of ${this.#file}: this is not kept in it.`);
    const text = `${JSON.stringify({ version, startFolder: this.startFolder, questions })}\n`;
    writeOwn(this.#file, text);
    this.#text = text;
    this.#questions = questions;
  }
}

/** Conversations without a name that a folder keeps. */
const maxAutomatic = 50;

/** Returns a name for a conversation that has none, and removes the oldest of such conversations beyond fifty. */
export function newSessionName(folder: string): string {
  const old = existsSync(folder)
    ? readdirSync(folder).filter((file) => isAutomatic(file) && file.endsWith(".json"))
    : [];
  for (const file of old.sort().reverse().slice(maxAutomatic)) rmSync(join(folder, file), { force: true });
  const time = new Date().toISOString().replaceAll(/[-:]|\..*/g, "");
  return `${automaticPrefix}${time}-${randomBytes(3).toString("hex")}`;
}

/** Returns the name of the last conversation that began in a folder; undefined when there is none. */
export function lastSessionOf(folder: string, startFolder: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []) : [];
  const kept = names.flatMap((name) => {
    const book = new ConversationBook(folder, name);
    const at = book.questions.at(-1)?.at;
    return book.startFolder === startFolder && at !== undefined ? [{ name, at }] : [];
  });
  return kept.sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.name;
}
