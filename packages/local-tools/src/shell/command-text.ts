import { headOf, type KeptOutput, OutputLog } from "../output/output-log.ts";
import { TextCleaner } from "../output/text-cleaner.ts";

/** What a session's commands print, from terminal output to the text of a result. */
export class CommandText {
  readonly #options: { maxChars: number; artifactDir: string; columns: number; rows: number };
  #cleaner: TextCleaner;
  #log: OutputLog;
  #resized = false;
  #discarded = false;

  constructor(options: { maxChars: number; artifactDir: string; columns: number; rows: number }) {
    this.#options = options;
    this.#cleaner = new TextCleaner({ ...options, fold: true });
    this.#log = new OutputLog(options);
  }

  /** UTF-16 units since the last result. */
  get length(): number {
    return this.#log.length;
  }

  /** True when the cursor stands in a line that has begun: a question often looks so. */
  get unfinishedLine(): boolean {
    return this.#cleaner.pendingLine.trim() !== "";
  }

  write(text: string): void {
    if (!this.#discarded) this.#log.write(this.#cleaner.push(text));
  }

  /** A command begins. */
  beginCommand(): void {
    if (!this.#resized) return;
    this.#resized = false;
    this.endCommand();
    this.#cleaner = new TextCleaner({ ...this.#options, fold: true });
  }

  /** A command is over: its last line is final, and the next one begins with a screen of its own. */
  endCommand(): void {
    if (!this.#discarded) this.#log.write(this.#cleaner.end());
  }

  /** All since the last time, the unfinished line included. */
  take(): KeptOutput {
    const kept = this.#log.finish(this.#cleaner.take());
    this.#log = new OutputLog(this.#options);
    return kept;
  }

  /** The size of the terminal from the next command on. */
  resize(columns: number, rows: number): void {
    this.#options.columns = columns;
    this.#options.rows = rows;
    this.#resized = true;
  }

  /** Gives up what nobody will ask for any more, its file too; what is written later is lost. */
  discard(): void {
    this.#discarded = true;
    this.#log.discard();
  }
}

/** UTF-16 units of a note about output between commands. */
const noteSize = 2000;

/** What is printed while no command runs: by background jobs, or by the shell about them. A little of it is kept for a note. */
export class StrayText {
  readonly #isOurs: (line: string) => boolean;
  #cleaner: TextCleaner = new TextCleaner();
  #kept = "";
  #lost = 0;

  /** `isOurs`: lines to leave out, since the session itself caused them. */
  constructor(isOurs: (line: string) => boolean) {
    this.#isOurs = isOurs;
  }

  write(text: string): void {
    this.#add(this.#cleaner.push(text));
  }

  /** A note about what came, or undefined when nothing did. */
  take(): string | undefined {
    this.#add(this.#cleaner.end());
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
