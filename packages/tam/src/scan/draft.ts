import type { EndOptions, Span } from "@toolglot/core";
import type { Fence, Source } from "@toolglot/core/text";
import { isSeen } from "@toolglot/internal";
import { type Marker, markerAt, type Run } from "./marks.ts";
import type { Note, OpenValue, ReaderHost, Scan, Shared, Sign } from "./scan.ts";

/** How the last value of a block ended. */
interface ValueEnd {
  /** It has no closer. */
  isUnclosed: boolean;
  /** Its closer, when plain text follows it; `isNear` when no empty line stands between. */
  uncertain?: Run | undefined;
  isNear?: boolean;
  /** It was read in doubt, and may continue behind its closer. */
  mayGoOn?: boolean;
}

/** A block while it is read: what was found of it, and where reading stands. */
export class Draft {
  readonly scan: Scan;
  readonly fence: Fence | undefined;
  readonly shared: Shared;
  readonly host: ReaderHost;
  /** The value that is being read. */
  value: OpenValue | undefined;
  /** A closer in that value: what follows it decides what it is. */
  closer: Run | undefined;
  /** Only white space stands between `lineStart` and where reading continues. */
  fresh = true;
  lineStart: number;
  /** White space at the beginning of that line. */
  indent = 0;
  /** Reading can only continue after a line break. */
  waitsForLine = false;
  lastEnd: ValueEnd = { isUnclosed: false };
  /** A value was open at the end of the text: fields after it may have been its text. */
  doubtful = false;
  /** Signs of comments outside of keys. */
  readonly signs: Sign[] = [];
  #standard = false;
  /** The first delimiter that is not standard, up to the last one that does not answer its opener. */
  #odd: Note | undefined;
  #four = false;

  constructor(start: number, head: Marker, fence: Fence | undefined, shared: Shared, host: ReaderHost) {
    this.fence = fence;
    this.shared = shared;
    this.host = host;
    this.lineStart = head.next;
    this.scan = {
      start,
      head: head.end,
      end: head.end,
      fields: [],
      comments: [],
      notes: [],
      closed: false,
      cut: false,
      doubtful: false,
    };
  }

  /** Passes over what nobody sees; false at the end of the text so far. */
  skipSpace(source: Source): boolean {
    const { text } = source;
    let { at } = source;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) {
        this.fresh = true;
        this.lineStart = source.base + at + 1;
      } else if (isSeen(code)) break;
    }
    source.at = at;
    return at < text.length;
  }

  note(code: Note["code"], start: number, end: number): void {
    this.scan.notes.push({ code, start, end });
  }

  ambiguous({ start, end }: Span): void {
    this.note("ambiguous-delimiter", start, end);
  }

  /** Remembers whether delimiters are the standard ones: all of a block should be. */
  delimiter(run: Run, standard: string): void {
    if (run.text === standard) this.#standard = true;
    else this.#odd ??= { code: "alternate-delimiters-used", start: run.start, end: run.end };
    if (run.text.length === 4) this.#four = true;
  }

  /** Notes a closer that is not the mirror of its opener: with odd delimiters around, the value may be another one. */
  unevenPair(closer: Run): void {
    if (!this.#odd) return;
    this.#odd.end = closer.end;
    this.#odd.affectsValue = true;
  }

  /** Notes delimiters that are not standard. */
  noteDelimiters(): void {
    const odd = this.#odd;
    if (!odd) return;
    if (this.#standard) odd.code = "mixed-delimiters-used";
    // «««« may be «««, and a « that belongs to the value.
    odd.affectsValue ||= this.#standard && this.#four;
    this.scan.notes.push(odd);
  }
}

/** Whether the message was ended by the end marker, which the provider took off. */
export function isStopped(end: EndOptions | undefined): boolean {
  const text = end?.stopSequence?.trim();
  const marker = text ? markerAt(text, 0, true) : undefined;
  return marker !== undefined && marker !== "more" && !marker.isStart;
}
