import type { Masker } from "@toolglot/secrets";
import { counted } from "../messages.ts";
import { FloodGate } from "../output/flood-gate.ts";
import type { ScreenView } from "../output/full-screen.ts";
import { LiveOutput } from "../output/live-output.ts";
import { type MakeMasker, noMasker } from "../output/masker.ts";
import { headOf, type KeptOutput, OutputLog } from "../output/output-log.ts";
import { TextCleaner } from "../output/text-cleaner.ts";

export interface CommandTextOptions {
  maxChars: number;
  artifactDir: string;
  columns: number;
  rows: number;
  /** White space that is only a screen's layout is left out of results, and kept in the artifact. Default false. */
  foldBlanks?: boolean;
  /** What programs paint on the alternate screen can be looked at. Default false. */
  views?: boolean;
  /** UTF-16 units of text that are kept of what comes in one second; of more, the middle is skipped. Default 16 million. */
  maxCharsASecond?: number;
  /** UTF-16 units that pass at any speed before that counts. Default 64,000,000. */
  maxCharsAtOnce?: number;
  /** What all text goes through before anybody gets it, and before it is kept. Default: nothing is taken out. */
  masker?: MakeMasker;
}

/** What a session's commands print, from terminal output to the text of a result, and to somebody who listens meanwhile. */
export class CommandText {
  readonly #options: CommandTextOptions;
  readonly #makeMasker: MakeMasker;
  readonly #masker: Masker;
  readonly #flood: FloodGate;
  readonly #cleaner: TextCleaner;
  #log: OutputLog;
  #live: LiveOutput | undefined;
  #discarded = false;

  constructor(options: CommandTextOptions) {
    this.#options = options;
    this.#makeMasker = options.masker ?? noMasker;
    this.#masker = this.#makeMasker();
    this.#flood = new FloodGate(options.maxCharsASecond, options.maxCharsAtOnce);
    const { columns, rows, views = false } = options;
    this.#cleaner = new TextCleaner({ columns, rows, fold: true, views });
    this.#log = new OutputLog(options);
  }

  get length(): number {
    return this.#log.length;
  }

  /** True when the cursor stands in a line that has begun: a question often looks so. */
  get unfinishedLine(): boolean {
    return this.#cleaner.pendingLine.trim() !== "";
  }

  get view(): ScreenView | undefined {
    const { view } = this.#cleaner;
    return view && { ...view, text: this.masked(view.text) };
  }

  /** A full-screen program has asked for other codes of the cursor keys. */
  get applicationKeys(): boolean {
    return this.#cleaner.applicationKeys;
  }

  /** Returns a text by itself, without what nobody may read. */
  masked(text: string): string {
    const masker = this.#makeMasker();
    return masker.write(text) + masker.end();
  }

  write(text: string): void {
    if (this.#discarded) return;
    this.#live?.touch();
    if (this.#flood.skips(text, performance.now())) return;
    this.#goOn();
    this.#clean(text);
  }

  /** Ends a command, or what was printed before one: its last line is final, and the next one begins with a screen of its own. */
  endCommand(): void {
    if (this.#discarded) return;
    this.#goOn();
    this.#log.write(this.#masker.write(this.#cleaner.end()) + this.#masker.end());
  }

  /** Returns all since the last time, the unfinished line included. */
  take(): KeptOutput {
    this.#goOn();
    this.#keep(this.#cleaner.take());
    const kept = this.#log.finish(this.#masker.pause());
    this.#log = new OutputLog(this.#options);
    return kept;
  }

  /** Emits what is printed since the last result until the returned function is called. Of much that was printed before, only the beginning. */
  listen(onOutput: (text: string) => void): () => void {
    // What the log's masker holds back would be missing.
    if (!this.#discarded) this.#log.write(this.#masker.pause());
    // What an earlier result showed may be the beginning of what comes.
    const masker = this.#masker.fork?.() ?? this.#makeMasker();
    const live = new LiveOutput(this.#cleaner, masker, onOutput, this.#before());
    this.#live = live;
    return () => {
      live.close();
      this.#live = undefined;
    };
  }

  /** Sets the size of the terminal from the next command on. */
  resize(columns: number, rows: number): void {
    this.#cleaner.resize(columns, rows);
  }

  /** Drops what nobody will ask for any more, its file too; what is written later is lost. */
  discard(): void {
    this.#discarded = true;
    this.#log.discard();
  }

  #clean(text: string): void {
    const cleaned = this.#cleaner.push(text);
    this.#flood.passed(cleaned.length);
    this.#keep(cleaned);
  }

  /** Writes a line about what was skipped, if anything was, and resumes behind it. */
  #goOn(): void {
    const skipped = this.#flood.take();
    if (skipped === undefined) return;
    this.#cleaner.note(
      `[${counted(skipped.units)} characters were skipped here: more than 16 MB were printed in a second.]`,
    );
    this.#clean(skipped.rest);
  }

  /** What is kept goes through the log's masker here; what a listener gets goes through one of its own, see {@link listen}. */
  #keep(text: string): void {
    if (!this.#discarded) this.#log.write(this.#masker.write(text));
  }

  /** Returns what was kept since the last result. */
  #before(): string {
    const { beginning, length } = this.#log;
    if (beginning.length === length) return beginning;
    const end = beginning.endsWith("\n") ? "" : "\n";
    return `${beginning}${end}[${counted(length - beginning.length)} characters that were printed before are left out here.]\n`;
  }
}

/** UTF-16 units of a note about output between commands. */
const noteSize = 2000;

/** What is printed while no command runs: by background jobs, or by the shell about them. A little of it is kept for a note. */
export class StrayText {
  readonly #isOurs: (line: string) => boolean;
  readonly #masker: Masker;
  #cleaner: TextCleaner = new TextCleaner();
  #kept = "";
  #lost = 0;

  /** `isOurs`: lines to leave out, since the session itself caused them. */
  constructor(isOurs: (line: string) => boolean, masker: MakeMasker = noMasker) {
    this.#isOurs = isOurs;
    this.#masker = masker();
  }

  write(text: string): void {
    this.#add(this.#masker.write(this.#cleaner.push(text)));
  }

  /** Returns a note about what came, or undefined when nothing did. */
  take(): string | undefined {
    this.#add(this.#masker.write(this.#cleaner.end()) + this.#masker.end());
    const text = this.#kept
      .split("\n")
      .filter((line) => line.trim() !== "" && !this.#isOurs(line))
      .join("\n");
    const more = this.#lost > 0 ? ` (and ${this.#lost} characters more)` : "";
    this.#kept = "";
    this.#lost = 0;
    return text === "" ? undefined : `Printed between commands, as by a background job${more}:\n${text}`;
  }

  #add(text: string): void {
    const room = Math.max(0, 2 * noteSize - this.#kept.length);
    const whole = this.#lost === 0 && text.length <= room;
    const kept = whole ? text : this.#lost > 0 || room === 0 ? "" : headOf(text, room);
    this.#kept += kept;
    this.#lost += text.length - kept.length;
  }
}
