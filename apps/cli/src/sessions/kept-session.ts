import type { Message, ProgramLanguage } from "@toolglot/core";
import type { Sandbox, SandboxSession } from "@toolglot/sandbox";
import type { Words } from "../words/index.ts";
import { ConversationBook, type Turns } from "./conversation-book.ts";
import { openProgramSession, openSessionFolder, programLanguages, type SessionFolder } from "./session-folder.ts";
import { isAutomatic } from "./session-names.ts";

/** Where a session is kept, and which folder it belongs to. */
interface SessionPlace {
  /** The data folder. */
  data: string;
  startFolder?: string | undefined;
  words: Words;
}

/** A session that this process has taken up: its conversation, and the variables of its programs. */
export class KeptSession {
  readonly name: string;
  readonly book: ConversationBook;
  /** Whether its programs share their variables. */
  readonly keepsVariables: boolean;
  readonly #words: Words;
  readonly #folder: SessionFolder;
  readonly #sandbox: (language: ProgramLanguage) => Sandbox;
  readonly #open = new Map<ProgramLanguage, Promise<SandboxSession>>();

  /** Takes up the session of that name, or begins it. Throws an `Error` that says what to do. */
  constructor(
    { data, startFolder, words }: SessionPlace,
    name: string,
    sandbox: (language: ProgramLanguage) => Sandbox,
  ) {
    this.name = name;
    this.keepsVariables = !isAutomatic(name);
    this.#words = words;
    this.#folder = openSessionFolder(data);
    this.#sandbox = sandbox;
    this.book = new ConversationBook(this.#folder.path, name, startFolder);
  }

  /** The variables of its programs in a language; no other process has them then. Rejects with an `Error` that says what to do. */
  variables(language: ProgramLanguage): Promise<SandboxSession> {
    const open =
      this.#open.get(language) ?? openProgramSession(this.#sandbox(language), this.#folder, this.name, this.#words);
    this.#open.set(language, open);
    return open;
  }

  /** Keeps what a run came to. Rejects when another process has written to the conversation. */
  async keep(messages: readonly Message[], protocol: string): Promise<void> {
    const turns: Turns = { ...this.book.turns };
    for (const [language, session] of this.#open) turns[language] = (await session).turn;
    this.book.keep(messages, turns, protocol);
  }

  /** Goes back to before the last questions: variables and conversation. */
  async takeBack(questions: number): Promise<void> {
    const before = this.book.questions.at(-questions - 1)?.turns ?? {};
    const turns: Turns = {};
    for (const language of programLanguages) {
      const turn = before[language] ?? 0;
      // Nothing was run in it since.
      if ((this.book.turns[language] ?? 0) <= turn && !this.#open.has(language)) {
        if (turn > 0) turns[language] = turn;
        continue;
      }
      const session = await this.variables(language);
      if (session.turn > turn) {
        const earlier = session.checkpoints();
        const at = earlier.findIndex((one) => one.turn === turn);
        if (at < 0)
          throw new Error(
            `The session ${this.name} has no image from before that question any more: go back less far.`,
          );
        await session.undo(earlier.length - at);
      }
      turns[language] = session.turn;
    }
    this.book.takeBack(questions, turns);
  }

  async close(): Promise<void> {
    for (const session of this.#open.values()) await (await session.catch(() => undefined))?.close();
  }
}
