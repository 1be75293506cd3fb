import { newsOf, type Row } from "./row.ts";

/** How long a line that was rewritten must stand before it is given, in milliseconds: of a progress bar, only what stays for a while is news. */
const standingMs = 500;

/** A line of the page as it stands. */
export interface ShownLine {
  row: Row;
  text: string;
  isComplete: boolean;
}

/** When a page is looked at. */
export interface Moment {
  time: number;
  isSilent: boolean;
  /** Nothing more comes: all that is shown is due. */
  isOver?: boolean;
}

/**
 * The text of a page as somebody gets it who listens while it is written: a line once it is complete, an unfinished one in
 * silence, a rewritten one, or one of a screen that is painted again and again, when it has stood for a while. What was given can't be taken
 * back: a rewritten line is given once more, as a line of its own. Joined, the pieces are a beginning of the page's text but for rewritten lines.
 */
export class LiveText {
  #pieces: string[] = [];
  /** The line whose beginning was given last, without its end. */
  #open: Row | undefined;
  /** Lines that wait, as they were when they were looked at, and since when. */
  #waiting = new Map<Row, { text: string; since: number }>();

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

  line({ row, text, isComplete }: ShownLine): void {
    const news = newsOf(row.live, text, isComplete);
    if (news === "") return;
    const isGrowing = row.live?.ended === false && text.startsWith(row.live.text);
    if (this.#open !== row || !isGrowing) this.#endOpen();
    this.#pieces.push(news);
    this.#open = isComplete ? undefined : row;
    row.live = { text, ended: isComplete };
  }

  /** Emits the front of a line that continues empty. */
  passOn(row: Row, front: string): void {
    this.line({ row, text: front, isComplete: false });
    row.live = { text: "", ended: false };
    this.#open = row;
  }

  /** Emits the lines that are due. True when others wait. `isFrame`: they are of a screen that may be painted anew. */
  look(lines: readonly ShownLine[], isFrame: boolean, { time, isSilent, isOver = false }: Moment): boolean {
    const before = this.#waiting;
    this.#waiting = new Map();
    for (const line of lines) {
      const { row, text, isComplete } = line;
      const { live } = row;
      if (newsOf(live, text, isComplete) === "") continue;
      const seen = before.get(row);
      const stands = seen?.text === text ? seen : { text, since: time };
      const isRewritten = live !== undefined && (live.ended || !(isComplete || text.startsWith(live.text)));
      const isDue = isRewritten || isFrame ? time - stands.since >= standingMs : isComplete || isSilent;
      if (isDue || isOver) this.line(line);
      else this.#waiting.set(row, stands);
    }
    // What comes next follows what was emitted last, whatever line that was.
    if (isOver) this.#open = undefined;
    return this.#waiting.size > 0;
  }

  #endOpen(): void {
    if (this.#open !== undefined) this.#pieces.push("\n");
    this.#open = undefined;
  }
}
