/**
 * Text to text, as a stream: what takes out of a command's output that nobody may read. It may hold back what could yet become
 * such a text, and must not grow without bound.
 */
export interface TextMasker {
  /** Takes the next text; returns what is certain. */
  write(text: string): string;
  /** Returns what was written so far, for a text that may continue. */
  pause(): string;
  /** Nothing more follows; afterwards it is as new. */
  end(): string;
  /** Another one for what follows, which knows what came so far. Without it, a new one is made. */
  fork?(): TextMasker;
}

/** Makes a masker for one stream: the log, the increments, and a screen have one each. */
export type MakeMasker = () => TextMasker;

/** Takes nothing out. */
export const noMasker: MakeMasker = () => ({ write: (text) => text, pause: () => "", end: () => "" });
