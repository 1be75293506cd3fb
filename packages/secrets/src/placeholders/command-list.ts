import type { Range, SimpleCommand } from "./bash-syntax.ts";

export type CompoundKind = "if" | "loop" | "case" | "{" | "(";

/** A compound command that has begun. */
interface Compound {
  kind: CompoundKind;
  start: number;
  isFunction: boolean;
  /** What it reads as standard input; filled as that is found. */
  inputs: Range[];
  pipeline: Pipeline;
}

/** The commands that are joined by `|` so far. */
interface Pipeline {
  start: number | undefined;
  /** Where what they print comes from: their texts, and heredocs that follow later. */
  texts: Range[];
  /** What they print goes to the command that comes. */
  feeds: boolean;
}

/** A command that is being read; `own`: its inputs besides those of what is around it. */
export type CommandInWork = SimpleCommand & { own: Range[] };

/** What is being read of a script, or of what stands in `$(…)`: its pipeline, and the compounds that have begun. */
export class CommandList {
  command: CommandInWork | undefined;
  /** The inputs of the compound that has just ended: redirections that follow are its own. */
  ended: Range[] | undefined;
  /** Where the name of a function stands whose body comes. */
  functionStart: number | undefined;
  readonly #stack: Compound[] = [];
  readonly #around: readonly Range[];
  readonly #commands: SimpleCommand[];
  #pipeline: Pipeline = noPipeline();

  /** `around`: what the command reads that this list is a part of. Complete commands go to `commands`. */
  constructor(around: readonly Range[], commands: SimpleCommand[]) {
    this.#around = around;
    this.#commands = commands;
  }

  /** Inputs of all that is around the next command. */
  get inputs(): readonly (readonly Range[])[] {
    return [this.#around, ...this.#stack.map(({ inputs }) => inputs)];
  }

  /** A pipeline continues in the next line. */
  get goesOn(): boolean {
    return this.#pipeline.feeds && this.command === undefined;
  }

  get innermost(): CompoundKind | undefined {
    return this.#stack.at(-1)?.kind;
  }

  /** Functions whose bodies have not ended. */
  get openFunctions(): readonly Range[] {
    return this.#stack.filter(({ isFunction }) => isFunction).map(({ start }) => ({ start, end: start }));
  }

  /** Returns the command that is being read; a new one begins at `at`. */
  begin(at: number): CommandInWork {
    if (this.command === undefined) {
      this.ended = undefined;
      const own = this.#feed(at);
      this.command = { start: at, end: at, assignments: [], words: [], inputs: [...this.inputs, own], own };
    }
    return this.command;
  }

  /** Begins something that is no simple command: `[[`, `((`. Returns where it does, a function's name included. */
  beginOther(at: number): number {
    const start = this.functionStart ?? at;
    this.#pipeline.start ??= start;
    return start;
  }

  /** Completes the command and its pipeline. */
  finish(at: number): void {
    this.#complete(at);
    this.#pipeline = noPipeline();
  }

  /** Continues the pipeline: what stands behind `|` reads what the commands before it print. */
  pipe(at: number): void {
    const start = this.#pipeline.start ?? this.command?.start ?? at;
    const texts = [...this.#pipeline.texts, ...(this.command?.own ?? this.ended ?? []), { start, end: at }];
    this.#complete(at);
    this.#pipeline = { start, texts, feeds: true };
  }

  open(kind: CompoundKind, at: number): void {
    const start = this.functionStart ?? at;
    const inputs = this.#feed(start);
    this.#stack.push({ kind, start, isFunction: this.functionStart !== undefined, inputs, pipeline: this.#pipeline });
    this.functionStart = undefined;
    this.command = undefined;
    this.#pipeline = noPipeline();
  }

  /** Ends the innermost compound when it is of this kind; returns it. */
  close(kind: CompoundKind, at: number): { start: number; isFunction: boolean } | undefined {
    const compound = this.#stack.at(-1);
    if (compound?.kind !== kind) return undefined;
    this.finish(at);
    this.#stack.pop();
    this.ended = compound.inputs;
    this.#pipeline = { ...compound.pipeline, feeds: false };
    return compound;
  }

  #complete(at: number): void {
    const { command } = this;
    this.command = undefined;
    this.ended = undefined;
    if (command === undefined) return;
    command.end = at;
    this.#commands.push(command);
  }

  /** Returns what the commands before it in its pipeline print, for what begins at `at`. */
  #feed(at: number): Range[] {
    const pipeline = this.#pipeline;
    pipeline.start ??= at;
    return pipeline.feeds ? [...pipeline.texts] : [];
  }
}

function noPipeline(): Pipeline {
  return { start: undefined, texts: [], feeds: false };
}
