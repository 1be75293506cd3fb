import { Worker } from "node:worker_threads";
import { matchScript } from "./match-script.ts";
import type { Pattern } from "./pattern.ts";

/** A line that fits; what is long is cut around what fits. */
export interface MatchedLine {
  line: number;
  text: string;
}

/** What one file holds. */
export interface FileMatches {
  /** Lines that fit, or places where a text of several lines begins. */
  count: number;
  /** The first of them. */
  lines: MatchedLine[];
  /** It is not UTF-8, and the pattern may stand in what could not be read. */
  doubtful: boolean;
  /** It has lines of more than a million characters, which an expression was tried on in parts. */
  inParts: boolean;
}

/** How the thread is to work. */
export interface MatcherOptions {
  /** Lines given of one file. */
  maxLines: number;
  /** UTF-16 units of a line. */
  maxLine: number;
  /** Milliseconds that one piece of a file may take. */
  timeoutMs: number;
}

/** Why a file was not searched through. `gave-up`: it took too long, or too much memory. `pattern`: the expression can't be run at all. */
export class MatchFault extends Error {
  readonly reason: "gave-up" | "pattern";

  constructor(reason: "gave-up" | "pattern", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Searches files for a pattern, one at a time and piece by piece, without holding up anybody. */
export class Matcher {
  readonly #worker: Worker;
  readonly #timeoutMs: number;
  #waiting: { done(found: FileMatches): void; fail(error: Error): void } | undefined;
  #ended: Error | undefined;

  constructor(pattern: Pattern, { maxLines, maxLine, timeoutMs }: MatcherOptions) {
    this.#timeoutMs = timeoutMs;
    this.#worker = new Worker(matchScript, {
      eval: true,
      workerData: { pattern, maxLines, maxLine },
      // Nothing of the host: neither its variables nor its options.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.on("message", (answer: FileMatches | { failed: string }) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if ("failed" in answer) waiting?.fail(new MatchFault("pattern", answer.failed));
      else waiting?.done(answer);
    });
    this.#worker.on("error", (error) => this.#end(new MatchFault("gave-up", error.message)));
    this.#worker.unref();
  }

  /**
   * The next piece of a file, which is handed over; `last` ends the file, and what is given then is all that it holds. Rejects with
   * {@link MatchFault}; after `gave-up` the matcher is of no more use.
   */
  async search(bytes: Uint8Array, last = true): Promise<FileMatches> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#waiting !== undefined) throw new TypeError("one piece at a time");
    let clock: NodeJS.Timeout | undefined;
    try {
      return await new Promise<FileMatches>((done, fail) => {
        this.#waiting = { done, fail };
        clock = setTimeout(() => this.#end(new MatchFault("gave-up", "it took too long")), this.#timeoutMs);
        this.#worker.postMessage({ bytes, last }, [bytes.buffer as ArrayBuffer]);
      });
    } finally {
      clearTimeout(clock);
    }
  }

  async close(): Promise<void> {
    this.#end(new MatchFault("gave-up", "it was closed"));
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.fail(error);
    this.#waiting = undefined;
    void this.#worker.terminate();
  }
}
