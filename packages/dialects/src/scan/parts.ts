import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import type { Detector } from "./detector.ts";
import type { ProseHead, ProseMarks } from "./prose.ts";
import type { RowMarks } from "./row-marks.ts";

/** Which form the arguments of a dialect's calls have. */
export type Body = "json" | "python" | "tags" | "keyed";

/** Reads the arguments of calls. */
export interface BodyReader {
  /** Goes behind the arguments; false when the call is rejected. */
  read(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean>;
  /** Goes behind a call that was rejected. `isOnLine`: it ends with its line at the latest. Default: as its marks have it. */
  skip?(cursor: Cursor, isOnLine: boolean): Reading<unknown>;
}

/** Where the name of a call stands: in its JSON, as text before the arguments, in an attribute, or in a message's header of harmony. */
export type NamePlace = "key" | "text" | "attribute" | "header";

/** Finds and reads names of calls. */
export interface NameReader {
  /**
   * Whether a call can begin behind its opener at an index: 0, a higher number, or `more`. `isHere`: an opener was there, or no white space
   * was before it.
   */
  callAt(text: string, at: number, marks: RowMarks, ended: boolean, isHere: boolean): number;
  /** Goes behind a name that stands before the arguments. False when the call is rejected. */
  read?(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean>;
  /** Whether what ends a name is missing, so that it may be a call of another dialect. */
  lacksEnd?(text: string, at: number, marks: RowMarks, ended: boolean): boolean;
}

/** What stands before a run, around the name of its first call. */
export interface RunHeader {
  readonly before: string;
  /** Returns the index behind it; 0 when there is none, or `more`. */
  endAt(text: string, at: number, ended: boolean): number;
}

/** What reads the parts of calls. A bundle holds those that its dialects have. */
export interface Parts {
  readonly bodies: Partial<Readonly<Record<Body, BodyReader>>>;
  readonly names: Partial<Readonly<Record<NamePlace, NameReader>>>;
  /** Of calls that may be JSON objects all the same. */
  readonly asJson?: BodyReader;
  readonly runHeader?: (header: string) => RunHeader;
  /** Of openers that another dialect has for its own: whether the first argument has this dialect's type mark. */
  readonly typeMarkAt?: (text: string, at: number, marks: RowMarks, ended: boolean) => number;
  /** Of several dialects. */
  readonly detector?: typeof Detector;
  /** Of marks that vanish. */
  readonly prose?: typeof ProseMarks;
  readonly heads?: readonly ProseHead[];
}
