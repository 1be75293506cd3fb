import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@toolglot/internal";
import { readOwn, writeOwn } from "../config/own-file.ts";

/** As many are kept; the file is made shorter when it has twice as many. */
const maxTexts = 1000;

/** What was typed at the prompt, over all starts: `history.jsonl` in the data folder (mode 0600), a JSON string on each line. */
export class PromptHistory {
  readonly #file: string;
  #texts: string[];

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, "history.jsonl");
    const all = readTexts(this.#file);
    this.#texts = all.slice(-maxTexts);
    if (all.length > 2 * maxTexts)
      writeOwn(this.#file, this.#texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
  }

  /** Newest first. */
  get newestFirst(): string[] {
    return this.#texts.toReversed();
  }

  /** Keeps a text, but not twice in a row, and not one that begins with a space. */
  add(text: string): void {
    if (text.trim() === "" || text.startsWith(" ") || text === this.#texts.at(-1)) return;
    this.#texts.push(text);
    appendFileSync(this.#file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  }
}

/** Lines that are no text are left out: nobody is to lose the prompt to a history. */
const readTexts = (file: string): string[] =>
  readOwn(file)
    .split("\n")
    .map(parseJson)
    .filter((text) => typeof text === "string");
