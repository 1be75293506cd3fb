import { createInterface } from "node:readline";
import { PassThrough, type Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";

/** A terminal that keys come from. */
export type EditorInput = Readable & Pick<ReadStream, "setRawMode">;

/** Stands for a line break within a line that is edited: a pasted text, or one from the history. */
const breakMark = "␤";
const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

/** What an editor works with. */
export interface EditorOptions {
  input: EditorInput;
  output: NodeJS.WritableStream;
  /** What was asked before, newest first. Read for each question. */
  history: () => readonly string[];
  /** What the end of the line may be continued to, and that end. */
  complete: (line: string) => [string[], string];
}

/**
 * Asks for a text at a terminal: lines are edited, earlier ones come back with the arrows, a pasted text stays one text, and a text has several lines
 * after a backslash at the end of a line or between `"""`. What is typed before a question is kept for it.
 */
export class LineEditor {
  readonly #options: EditorOptions;
  /** Whole lines that came together with the end of the last text, and what was typed after them. */
  #queued: string[] = [];
  #draft = "";

  constructor(options: EditorOptions) {
    this.#options = options;
  }

  /** Undefined: the person wants to leave, by Ctrl-D or by Ctrl-C with nothing typed. */
  ask(head: string): Promise<string | undefined> {
    const { input, output, history, complete } = this.#options;
    output.write(`${head}\n`);
    const queued = this.#queued.splice(0);
    const lines: string[] = [];
    while (queued.length > 0) {
      lines.push(queued.shift() as string);
      output.write(`${lines.length === 1 ? "› " : "… "}${lines.at(-1)}\n`);
      const { text, isOpen } = joinLines(lines);
      if (isOpen) continue;
      this.#queued = queued;
      return Promise.resolve(text);
    }
    return new Promise((resolve) => {
      const filter = new PasteFilter();
      const source = Object.assign(new PassThrough(), {
        isTTY: true,
        setRawMode: (on: boolean) => input.setRawMode(on),
      });
      const hear = (chunk: Buffer): void => void source.write(filter.take(chunk));
      const editor = createInterface({
        input: source,
        output,
        terminal: true,
        history: history().map((text) => text.replaceAll("\n", breakMark)),
        historySize: 1000,
        removeHistoryDuplicates: true,
        completer: complete,
      });
      let isOver = false;
      const finish = (text: string | undefined): void => {
        if (isOver) return;
        isOver = true;
        // What stands in the same chunk as the end of the text comes before this.
        setImmediate(() => {
          input.off("data", hear);
          input.pause();
          this.#draft = editor.line;
          editor.close();
          output.write("\x1b[?2004l");
          resolve(text);
        });
      };
      const ask = (): void => {
        editor.setPrompt(lines.length === 0 ? "› " : "… ");
        editor.prompt();
      };
      editor.on("line", (line) => {
        if (isOver) {
          this.#queued.push(line);
          return;
        }
        lines.push(line);
        const { text, isOpen } = joinLines(lines);
        if (isOpen) ask();
        else finish(text);
      });
      editor.on("SIGINT", () => {
        if (editor.line === "" && lines.length === 0) {
          output.write("\n");
          finish(undefined);
          return;
        }
        // The line is cleared, as in a shell.
        lines.length = 0;
        output.write("^C\n");
        editor.write(null, { ctrl: true, name: "e" });
        editor.write(null, { ctrl: true, name: "u" });
        ask();
      });
      editor.on("close", () => finish(undefined));
      output.write("\x1b[?2004h");
      input.on("data", hear);
      input.resume();
      ask();
      if (this.#draft !== "") editor.write(this.#draft);
      this.#draft = "";
    });
  }
}

/** The text of so many lines, and whether more are to come. */
export function joinLines(lines: readonly string[]): { text: string; isOpen: boolean } {
  const all = lines.join("\n");
  const quoted = /^\s*"""([\s\S]*)$/.exec(all)?.[1];
  if (quoted !== undefined) {
    const inner = /^([\s\S]*)"""\s*$/.exec(quoted)?.[1];
    return { text: (inner ?? quoted).replaceAll(breakMark, "\n").replace(/^\n|\n$/g, ""), isOpen: inner === undefined };
  }
  const goesOn = (line: string): boolean => (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1;
  const isOpen = goesOn(lines.at(-1) ?? "");
  const text = lines.map((line, index) => (index < lines.length - 1 || isOpen ? line.slice(0, -1) : line)).join("\n");
  return { text: text.replaceAll(breakMark, "\n"), isOpen };
}

/** Takes the terminal's marks around a pasted text away, and makes that text one line. */
export class PasteFilter {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #isPasting = false;

  take(chunk: Buffer): string {
    let text = this.#rest + this.#decoder.write(chunk);
    this.#rest = "";
    let out = "";
    for (;;) {
      const mark = this.#isPasting ? pasteEnd : pasteStart;
      const at = text.indexOf(mark);
      if (at < 0) break;
      out += this.#set(text.slice(0, at));
      text = text.slice(at + mark.length);
      this.#isPasting = !this.#isPasting;
    }
    // A mark may come in two chunks, and so may a line break.
    const mark = this.#isPasting ? pasteEnd : pasteStart;
    const held =
      [5, 4, 3, 2, 1].find((length) => text.endsWith(mark.slice(0, length))) ??
      Number(this.#isPasting && text.endsWith("\r"));
    this.#rest = text.slice(text.length - held);
    return out + this.#set(text.slice(0, text.length - held));
  }

  #set(text: string): string {
    if (!this.#isPasting) return text;
    const plain = text.replaceAll(/\r\n?|\n/g, breakMark).replaceAll("\t", "    ");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: keys that nobody pressed.
    return plain.replaceAll(/[\u0000-\u001f\u007f]/g, "");
  }
}
