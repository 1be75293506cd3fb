import { type Mark, newsOf, type Row } from "./row.ts";

/** How long a line that was rewritten must stand before it is given, in milliseconds: of a progress bar, only what stays for a while is news. */
const standingMs = 500;

/**
 * The text of a page as somebody gets it who listens while it is written: a line once it is complete, an unfinished one in
 * silence, a rewritten one, or one of a screen that is painted again and again, when it has stood for a while. What was given can't be taken
 * back: a rewritten line is given once more, as a line of its own. Joined, the pieces are a beginning of the page's text but for rewritten lines.
 */
export class LiveText {
  #pieces: string[] = [];
  /** The line whose beginning was given last, without its end. */
  #open: Row | undefined;

  /** Returns what was given since the last time. */
  take(): string {
    const text = this.#pieces.join("");
    this.#pieces = [];
    return text;
  }

  /** Emits whole lines that can't change any more and of which nothing was emitted. */
  lines(lines: string): void {
    this.#endOpen();
    this.#pieces.push(lines);
  }

  /** Emits a line as it is. */
  line(row: Row, text: string, isComplete: boolean): void {
    const news = newsOf(row.live, text, isComplete);
    if (news === "") return;
    if (this.#open !== row || !continues(row.live, text)) this.#endOpen();
    this.#pieces.push(news);
    this.#open = isComplete ? undefined : row;
    row.live = { text, ended: isComplete };
  }

  /** Emits the front of a line that continues empty. */
  passOn(row: Row, front: string): void {
    this.line(row, front, false);
    row.live = { text: "", ended: false };
    this.#open = row;
  }

  /** Emits a line if it is due. False when it has to wait. `isFrame`: it is of a screen that may be painted anew. */
  offer(
    row: Row,
    text: string,
    now: { time: number; isSilent: boolean; isComplete: boolean; isFrame: boolean },
  ): boolean {
    const { live } = row;
    const { time, isSilent, isComplete, isFrame } = now;
    if (newsOf(live, text, isComplete) === "") return true;
    if (row.seen?.text !== text) row.seen = { text, since: time };
    const isRewritten = live !== undefined && (live.ended || !(isComplete || text.startsWith(live.text)));
    const isDue = isRewritten || isFrame ? time - row.seen.since >= standingMs : isComplete || isSilent;
    if (isDue) this.line(row, text, isComplete);
    return isDue;
  }

  /** Continues: what is emitted next follows what was emitted last, whatever line that was. */
  goOn(): void {
    this.#open = undefined;
  }

  #endOpen(): void {
    if (this.#open !== undefined) this.#pieces.push("\n");
    this.#open = undefined;
  }
}

/** Checks whether a line only grows beyond what was emitted of it. */
function continues(mark: Mark | undefined, text: string): boolean {
  return mark !== undefined && !mark.ended && text.startsWith(mark.text);
}
