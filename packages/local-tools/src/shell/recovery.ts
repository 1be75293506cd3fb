import { type Command, secret } from "./command.ts";
import { pause } from "./pause.ts";
import type { Processes } from "./processes.ts";
import type { PromptPlace } from "./prompt-place.ts";
import type { ScriptChannel } from "./script-channel.ts";
import { signal } from "./signal.ts";
import { resetTerminal } from "./terminal-modes.ts";
import type { Transport } from "./transport.ts";
import type { TypedLines } from "./typed-lines.ts";

/** How long a line may be on its way before it counts as lost: the terminal, the shell and the kernel's threads all have to run. */
export const lineMs = 250;

/** The conversation that went astray. */
export interface Conversation {
  readonly transport: Transport;
  readonly processes: Processes;
  readonly tty: string;
  readonly exited: boolean;
  readonly channel: ScriptChannel;
  /** The command that runs. */
  command(): Command | undefined;
  /** Types the command's line. */
  type(command: Command): void;
  /** Types a line that ends in a prompt of its own. */
  typeAside(line: string): void;
  newChannel(plainFile: boolean): Promise<void>;
  /** The shell was seen at its prompt although a command that is over has said nothing of its input. */
  confirmEnd(command: Command): void;
  /** Gives the shell up. */
  abandon(): void;
}

/**
 * What is done when a shell is at its prompt although no mark has said that the command is over, or when a command's line
 * didn't get through: its end is asked for, its line is typed again, in the end the shell is given up.
 */
export class Recovery {
  readonly #talk: Conversation;
  readonly #lines: TypedLines;
  readonly #prompt: PromptPlace;

  constructor(talk: Conversation, lines: TypedLines, prompt: PromptPlace) {
    this.#talk = talk;
    this.#lines = lines;
    this.#prompt = prompt;
  }

  /** Looks where the shell is. True when it is at its prompt; `hinted`: a prompt was printed, so a line that was typed has had its turn. */
  look(hinted: boolean): boolean {
    const talk = this.#talk;
    const command = talk.command();
    if (!command || talk.exited) return false;
    const place = this.#prompt.here();
    if (command.phase === "ending") {
      if (place === "there") talk.confirmEnd(command);
      return false;
    }
    if (place !== "there") {
      if (place === "astray") talk.abandon();
      // It may stand before the script without having said so; nothing is lost by letting it go on, and all else is seen then.
      else if (command.phase === "typed" && performance.now() - command.typedAt > 2 * lineMs) talk.channel.release();
      return false;
    }
    return this.#urge(command, hinted);
  }

  /** A prompt that nobody expected: look, a few times, since the prompt is printed before it is waited at. */
  async lookOften(command: Command): Promise<void> {
    const talk = this.#talk;
    for (const wait of [0, 1, 2, 5, 10, 20, 50, 100, 200, 400, 800]) {
      await pause(wait);
      if (talk.command() !== command || talk.exited || this.look(true)) return;
      // Not visible here: at least it must be the shell that has the foreground.
      const blind = !this.#prompt.known && (await this.#inForeground());
      if (blind && talk.command() === command && this.#urge(command, true)) return;
    }
  }

  /**
   * The shell was told to run the script and didn't get that far: the line was lost or changed on its way, its builtins are
   * gone, or the place of the script is. All that is put right, and the line typed anew; after some times it is given up.
   */
  again(command: Command): void {
    // A line that was typed before and comes to its end only now begins and ends nothing.
    command.begin = secret();
    command.ends.clear();
    command.phase = "again";
    command.questions = [];
    command.tentative = "";
    this.#talk.channel.settle();
    if (command.tries > 2) this.#talk.abandon();
    else void this.#typeAgain(command);
  }

  async #typeAgain(command: Command): Promise<void> {
    const talk = this.#talk;
    await talk.newChannel(!talk.channel.fifo).catch(() => talk.abandon());
    if (command.tries > 1) {
      await resetTerminal(talk.tty);
      // Half a line may still stand in the terminal, or half a statement in the shell.
      talk.typeAside("\n");
      await pause(20);
      signal(talk.transport.pid, "SIGINT");
      await pause(20);
      talk.typeAside(this.#lines.rescue());
    }
    if (talk.command() === command && !talk.exited) talk.type(command);
  }

  /** The shell is at its prompt and the command isn't over: type it again, or ask for its end. False when it is too early for that. */
  #urge(command: Command, hinted: boolean): boolean {
    const since = performance.now() - command.typedAt;
    const asked = command.questions.length;
    if (command.phase === "again") return false;
    if (command.phase === "typed") {
      if (since < (hinted ? lineMs / 10 : lineMs)) return false;
      this.again(command);
    } else if (asked === 0 || since > lineMs * asked) {
      this.#ask(command);
    }
    return true;
  }

  /** Asks for the end of a command whose line was cut short. */
  #ask(command: Command): void {
    const talk = this.#talk;
    if (command.questions.length > 4) {
      talk.abandon();
      return;
    }
    const end = secret();
    command.ends.add(end);
    command.typedAt = performance.now();
    // The script wasn't read, and won't be: the shell is at its prompt. Its text must not lie in wait for another.
    if (command.phase === "started") talk.channel.settle();
    const lines = [this.#lines.probe(end)];
    if (command.questions.length > 0) lines.unshift(this.#lines.rescue());
    for (const line of lines) {
      command.questions.push(line.trimEnd());
      talk.typeAside(line);
    }
  }

  async #inForeground(): Promise<boolean> {
    const { transport, processes } = this.#talk;
    if (transport.backend !== "pty") return true;
    const group = await processes.foreground(transport.pid, true);
    return group === undefined || group === transport.pid;
  }
}
