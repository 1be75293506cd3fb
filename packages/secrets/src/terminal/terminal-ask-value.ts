import type { Locale } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { modelWords } from "../model-words.ts";
import type { AskValue, ValueAnswer, ValueRequest } from "../types.ts";
import { openTerminal, RawTerminal, type TerminalInput, type TerminalOutput } from "./raw-terminal.ts";
import { type PromptWords, promptWords } from "./words.ts";

/** Options of {@link terminalAskValue}. */
export interface TerminalAskOptions {
  /** A terminal to read from, such as `process.stdin`. Default: the terminal that the process belongs to. */
  input?: TerminalInput;
  /** Where to write to. Default: that terminal. */
  output?: TerminalOutput;
  /** Language of the prompts. Default `en`. */
  locale?: Locale;
}

/**
 * Creates an `ask` for {@link openSecrets} that reads at the terminal, not at standard input. Nothing of what is typed is shown; Backspace and Ctrl-U erase, Ctrl-C, Ctrl-D and
 * Escape cancel. Then `s`, `k` and `c` say whether the value is for this session, to be kept, or cancelled. Without a terminal
 * the answer is that the user cancelled.
 *
 * @example
 * ```ts
 * const secrets = await openSecrets({ ask: terminalAskValue({ locale: "zh" }) });
 * ```
 */
export function terminalAskValue(options: TerminalAskOptions = {}): AskValue {
  checkKeys("terminalAskValue", options, 'input:{on,off,resume,pause} output:{write} locale:"zh"|"en"');
  const words = promptWords[options.locale ?? "en"];
  return async (request, { signal }) => {
    if (signal.aborted) return undefined;
    const terminal = open(options, signal);
    if (terminal === undefined) return undefined;
    try {
      return await ask(terminal, request, words);
    } finally {
      terminal.write("\n");
      terminal.close();
    }
  };
}

function open({ input, output }: TerminalAskOptions, signal: AbortSignal): RawTerminal | undefined {
  if (input === undefined) return openTerminal(signal);
  if (input.isTTY !== true || typeof input.setRawMode !== "function") return undefined;
  return new RawTerminal(input, output ?? process.stderr, signal);
}

async function ask(terminal: RawTerminal, request: ValueRequest, words: PromptWords): Promise<ValueAnswer | undefined> {
  const { key, reason, note = "", known, canKeep } = request;
  terminal.write(`\n${words.needed(key)}\n${words.reason(modelWords(reason))}\n`);
  if (known !== undefined) terminal.write(`${words.known[known]}\n`);
  terminal.write(words.hidden(key));
  const value = await readLine(terminal, { isShown: false, mayBeEmpty: known !== undefined });
  if (value === undefined) return undefined;
  if (value === "") return { use: "known" };
  // A second line of what was pasted must not answer what is asked next.
  terminal.drop();
  terminal.write(`\n${words.choice(canKeep)}`);
  const keep = await choose(terminal, canKeep);
  if (keep === undefined) return undefined;
  const proposed = modelWords(note);
  terminal.write(`${words.chosen[keep ? "keep" : "session"]}\n${words.note(proposed !== "")}`);
  const noted = await readLine(terminal, { isShown: true, mayBeEmpty: true, text: proposed });
  if (noted === undefined) return undefined;
  const trimmed = noted.trim();
  return { value, keep, ...(trimmed !== "" && { note: trimmed }) };
}

/** Resolves with true to keep the value; undefined: cancelled. Other keys mean nothing. */
async function choose(terminal: RawTerminal, canKeep: boolean): Promise<boolean | undefined> {
  for (;;) {
    const key = await terminal.next();
    if (key === undefined || key.kind === "cancel") return undefined;
    const letter = key.kind === "text" ? key.text.toLowerCase() : "";
    if (letter === "c") return undefined;
    if (letter === "s") return false;
    if (letter === "k" && canKeep) return true;
  }
}

async function readLine(
  terminal: RawTerminal,
  { isShown, mayBeEmpty, text = "" }: { isShown: boolean; mayBeEmpty: boolean; text?: string },
): Promise<string | undefined> {
  const characters = [...text];
  const show = (shown: string): void => {
    if (isShown) terminal.write(shown);
  };
  show(text);
  for (;;) {
    const key = await terminal.next();
    if (key === undefined) return undefined;
    switch (key.kind) {
      case "cancel":
        return undefined;
      case "enter":
        if (characters.length > 0 || mayBeEmpty) return characters.join("");
        break;
      case "erase":
        if (characters.pop() !== undefined) show("\b \b");
        break;
      case "clear":
        show("\b \b".repeat(characters.length));
        characters.length = 0;
        break;
      case "text":
        characters.push(key.text);
        show(key.text);
    }
  }
}
