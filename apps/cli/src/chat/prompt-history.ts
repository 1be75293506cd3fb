import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@toolglot/internal";

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
    if (all.length > 2 * maxTexts) this.#write();
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

  #write(): void {
    const draft = `${this.#file}.${process.pid}.new`;
    writeFileSync(draft, this.#texts.map((text) => `${JSON.stringify(text)}\n`).join(""), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

/** Lines that are no text are left out: nobody is to lose the prompt to a history. */
function readTexts(file: string): string[] {
  let lines: string[];
  try {
    lines = readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
  return lines.map(parseJson).filter((text) => typeof text === "string");
}
