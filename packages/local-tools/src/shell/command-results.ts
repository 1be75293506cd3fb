import { defined } from "@toolglot/internal";
import type { MakeMasker } from "../output/masker.ts";
import type { Active, Outcome } from "./command.ts";
import { CommandText, type CommandTextOptions, StrayText } from "./command-text.ts";
import type { ShellResult } from "./types.ts";

/** Makes the results of a session's calls: what was printed since the last one, and notes. */
export class CommandResults {
  readonly text: CommandText;
  /** A command that ended while nobody waited, and that no result has mentioned yet. */
  unreported: Active | undefined;
  readonly #cwd: () => string;
  readonly #masker: MakeMasker | undefined;
  #stray: StrayText = new StrayText(() => false);

  constructor(options: CommandTextOptions, cwd: () => string) {
    this.text = new CommandText(options);
    this.#cwd = cwd;
    this.#masker = options.masker;
  }

  /** Begins with a new shell; `isOurs`: lines between commands that it causes itself. */
  newShell(isOurs: (line: string) => boolean): void {
    this.#stray = new StrayText(isOurs, this.#masker);
  }

  stray(text: string): void {
    this.#stray.write(text);
  }

  result(
    status: ShellResult["status"],
    started: number,
    rest: Partial<ShellResult> & { notes: string[] },
  ): ShellResult {
    const between = this.#stray.take();
    const stray = between === undefined ? undefined : this.text.masked(between);
    const { folded, ...kept } = this.text.take();
    const screen = this.text.view;
    const notes = [...rest.notes, ...[folded, stray].filter((note) => note !== undefined)];
    const ms = Math.round((performance.now() - started) * 10) / 10;
    return { status, ...kept, ...defined({ screen }), cwd: this.#cwd(), ms, ...rest, notes };
  }

  notRun(started: number, ...notes: string[]): ShellResult {
    return this.result("not-run", started, { notes });
  }

  /** Returns the result of a script that was not run since `earlier` runs. */
  busy(earlier: Active, outcome: Outcome, started: number): ShellResult {
    const notes = [
      ...earlier.notes.splice(0),
      `Not run: ${title(earlier.script)} still runs. The output is what it printed meanwhile.`,
    ];
    if (outcome.is === "aborted") notes.push("The call was aborted while it waited.");
    return this.result("not-run", started, { ...waitingIn(outcome), notes });
  }

  /** Returns notes about a command that ended while nobody waited. Its output was not given yet: it comes first. */
  earlierNotes(): string[] {
    const earlier = this.unreported;
    if (!earlier?.end) return [];
    this.unreported = undefined;
    const { exit, shellEnded } = earlier.end;
    const end = shellEnded ? `ended the shell (exit status ${exit})` : `ended with exit status ${exit}`;
    const { length } = this.text;
    const share =
      length > 0 ? `; the first ${length} characters of the whole output are the rest of what it printed` : "";
    return [...earlier.notes, `Meanwhile ${title(earlier.script)} ${end}${share}.`];
  }
}

/** Returns what a command waits for, as a result has it. */
export function waitingIn(outcome: Outcome): Pick<ShellResult, "waiting"> {
  return outcome.is === "waiting" ? { waiting: outcome.waiting } : {};
}

function title(script: string): string {
  const line = script.trim().split("\n", 1)[0] ?? "";
  return `\`${line.length > 60 ? `${line.slice(0, 60)}…` : line}\``;
}
