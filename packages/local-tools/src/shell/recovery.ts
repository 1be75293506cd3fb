import { sleep } from "@toolglot/internal";
import type { Bash } from "./bash.ts";
import { type Command, secret, variablesOf } from "./command.ts";
import { signal } from "./processes.ts";
import { resetTerminal } from "./terminal-modes.ts";
import type { TypedLines } from "./typed-lines.ts";

/** How long a line may be on its way before it counts as lost: the terminal, the shell and the kernel's threads all have to run. */
export const lineMs = 250;

/** The commands of the shell, as far as a recovery touches them. */
interface Recovering {
  readonly current: Command | undefined;
  type(command: Command): void;
  typeAside(line: string): void;
  confirmEnd(command: Command): Promise<void>;
}

/**
 * What is done when a shell is at its prompt although no mark has said that the command is over, or when a command's line
 * didn't get through: its end is asked for, its line is typed again, in the end the shell is given up.
 */
export class Recovery {
  readonly #shell: Bash;
  readonly #commands: Recovering;
  readonly #lines: TypedLines;

  constructor(shell: Bash, commands: Recovering, lines: TypedLines) {
    this.#shell = shell;
    this.#commands = commands;
    this.#lines = lines;
  }

  /** Checks where the shell is. True when it is at its prompt. */
  checkPrompt(): boolean {
    return this.#look(false) !== undefined;
  }

  /**
   * When the shell is at its prompt, resolves with whether something was done for that; undefined elsewhere. `hinted`: a prompt was printed, so
   * a line that was typed was read.
   */
  #look(hinted: boolean): Promise<boolean> | undefined {
    const shell = this.#shell;
    const command = this.#commands.current;
    if (!command || shell.exited) return undefined;
    const place = shell.prompt.here();
    if (command.phase === "ending") {
      if (place === "there") void this.#commands.confirmEnd(command);
      return undefined;
    }
    if (place !== "there") {
      if (place === "astray") shell.abandon();
      // It may stand before the script without having said so; nothing is lost by releasing it, and all else is seen then.
      else if (command.phase === "typed" && performance.now() - command.typedAt > 2 * lineMs)
        void shell.channel.release(() => shell.settled());
      return undefined;
    }
    return this.#conclude(command, hinted);
  }

  /** Decides once all output is read: on a busy machine marks may have been printed and not read yet. */
  async #conclude(command: Command, hinted: boolean): Promise<boolean> {
    const shell = this.#shell;
    await shell.settled();
    if (!this.#isCurrent(command) || command.phase === "ending" || shell.prompt.here() !== "there") return false;
    return this.#askOrRetype(command, hinted);
  }

  /** Checks a prompt that nobody expected a few times, since the prompt is printed before it is waited at. */
  async checkRepeatedly(command: Command): Promise<void> {
    for (const wait of [0, 1, 2, 5, 10, 20, 50, 100, 200, 400, 800]) {
      await sleep(wait);
      if (!this.#isCurrent(command) || (await this.#look(true))) return;
      // Not visible here: at least it must be the shell that has the foreground.
      const blind = !this.#shell.prompt.known && (await this.#inForeground());
      if (blind && this.#commands.current === command && this.#askOrRetype(command, true)) return;
    }
  }

  /**
   * Types the command again. The shell didn't get as far as the script: the line was lost or changed on its way, its builtins are
   * gone, or the place of the script is. All that is put right, and the line typed anew; after some times it is given up.
   */
  again(command: Command): void {
    // A line that was typed before and comes to its end only now begins and ends nothing.
    command.begin = secret();
    command.ends.clear();
    command.phase = "untyped";
    command.questions = [];
    command.tentative = "";
    this.#shell.channel.settle();
    if (command.tries > 2) this.#shell.abandon();
    else void this.#typeAgain(command);
  }

  async #typeAgain(command: Command): Promise<void> {
    const shell = this.#shell;
    await shell.newChannel(!shell.channel.fifo).catch(() => shell.abandon());
    if (command.tries > 1) {
      await resetTerminal(shell.tty);
      // Half a line may still stand in the terminal, or half a statement in the shell.
      this.#commands.typeAside("\n");
      await sleep(20);
      signal(shell.pid, "SIGINT");
      await sleep(20);
      this.#commands.typeAside(this.#lines.rescue());
    }
    if (this.#isCurrent(command)) this.#commands.type(command);
  }

  /** Acts when the shell is at its prompt and the command isn't over: types it again, or ask for its end. False when it is too early for that. */
  #askOrRetype(command: Command, hinted: boolean): boolean {
    const since = performance.now() - command.typedAt;
    const asked = command.questions.length;
    if (command.phase === "untyped") return false;
    if (command.phase === "typed") {
      if (since < (hinted ? lineMs / 10 : lineMs)) return false;
      this.again(command);
    } else if (asked === 0 || since > lineMs * asked) {
      this.#ask(command);
    }
    return true;
  }

  #ask(command: Command): void {
    if (command.questions.length > 4) {
      this.#shell.abandon();
      return;
    }
    const end = secret();
    command.ends.add(end);
    command.typedAt = performance.now();
    // The script wasn't read, and won't be: the shell is at its prompt. Its text must not lie in wait for another.
    if (command.phase === "started") this.#shell.channel.settle();
    const lines = [this.#lines.probe(end, variablesOf(command))];
    if (command.questions.length > 0) lines.unshift(this.#lines.rescue());
    for (const line of lines) {
      command.questions.push(line.trimEnd());
      this.#commands.typeAside(line);
    }
  }

  #isCurrent(command: Command): boolean {
    return this.#commands.current === command && !this.#shell.exited;
  }

  async #inForeground(): Promise<boolean> {
    const { pid, transport, processes } = this.#shell;
    if (transport.backend !== "pty") return true;
    const group = await processes.foreground(pid, true);
    return group === undefined || group === pid;
  }
}
