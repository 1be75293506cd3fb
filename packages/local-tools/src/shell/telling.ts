import { type Active, title } from "./active.ts";
import { CommandText, StrayText } from "./command-text.ts";
import type { ShellResult } from "./types.ts";
import type { Outcome } from "./watch.ts";

/** Makes the results of a session's calls: what was printed since the last one, and notes. */
export class Telling {
  readonly text: CommandText;
  /** Ended while nobody waited, and not told yet. */
  untold: Active | undefined;
  readonly #cwd: () => string;
  #stray: StrayText = new StrayText(() => false);

  constructor(options: { maxChars: number; artifactDir: string; columns: number; rows: number }, cwd: () => string) {
    this.text = new CommandText(options);
    this.#cwd = cwd;
  }

  /** A new shell; `isOurs`: lines between commands that it causes itself. */
  shell(isOurs: (line: string) => boolean): void {
    this.#stray = new StrayText(isOurs);
  }

  /** Text that belongs to no command. */
  stray(text: string): void {
    this.#stray.write(text);
  }

  result(
    status: ShellResult["status"],
    started: number,
    rest: Partial<ShellResult> & { notes: string[] },
  ): ShellResult {
    const stray = this.#stray.take();
    const notes = stray === undefined ? rest.notes : [...rest.notes, stray];
    const ms = Math.round((performance.now() - started) * 10) / 10;
    return { status, ...this.text.take(), cwd: this.#cwd(), ms, ...rest, notes };
  }

  /** The result of a script that was not run since `earlier` runs. */
  busy(earlier: Active, outcome: Outcome, started: number): ShellResult {
    const notes = [
      ...earlier.notes.splice(0),
      `Not run: ${title(earlier.script)} still runs. The output is what it printed meanwhile.`,
    ];
    if (outcome.is === "aborted") notes.push("The call was aborted while it waited.");
    return this.result("not-run", started, {
      ...(outcome.is === "waiting" ? { waiting: outcome.waiting } : {}),
      notes,
    });
  }

  /** Notes about a command that ended while nobody waited. Its output is still to be told: it comes first. */
  earlier(): string[] {
    const earlier = this.untold;
    if (!earlier?.end) return [];
    this.untold = undefined;
    const { exit, shellEnded } = earlier.end;
    const end = shellEnded ? `ended the shell (exit status ${exit})` : `ended with exit status ${exit}`;
    const { length } = this.text;
    const share =
      length > 0 ? `; the first ${length} characters of the whole output are the rest of what it printed` : "";
    return [...earlier.notes, `Meanwhile ${title(earlier.script)} ${end}${share}.`];
  }
}
