import type { BlockReader, InlineProbe } from "@toolglot/core/text";
import type { DialectRow } from "../table/types.ts";
import type { DialectBlock } from "../types.ts";
import type { LiteralSyntax } from "../values/types.ts";
import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import type { LookForText, Mark } from "./marks.ts";

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
type NamePlace = "key" | "text" | "attribute" | "header";

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
  readonly befores: readonly string[];
  /** Returns the index behind it; 0 when there is none, or `more`. */
  endAt(text: string, at: number, ended: boolean): number;
}

/** Finds the dialect of a call. */
export interface DialectFinder {
  /** Units that calls begin with, but `<`. */
  readonly heads: string;
  /** Returns the dialect of a call that begins at an index; `"more"` when only more text decides. */
  find(text: string, at: number, ended: boolean, isLineStart: boolean): RowMarks | "more" | undefined;
}

/** Returns the index behind a header at an index; 0 when there is none, {@link more} when only more text decides. */
export type ProseHead = (text: string, at: number, ended: boolean) => number;

/** Finds marks that vanish. */
export interface ProseFinder {
  /** Returns what emits the mark at a place, `"no"` for none, `"more"` when only more text decides. */
  find(probe: InlineProbe, ended: boolean, isLineStart: boolean): BlockReader<DialectBlock> | "more" | "no";
}

/** The marks of a dialect, ready to be looked for. */
export interface RowMarks {
  readonly row: DialectRow;
  /** Wrappers of a run. */
  readonly open: readonly Mark[];
  readonly close: readonly Mark[];
  readonly callOpen: Mark | undefined;
  readonly callClose: Mark | undefined;
  /** What reads its names and arguments. */
  readonly names: NameReader;
  readonly body: BodyReader;
  /** How its literals are written. */
  readonly syntax: LiteralSyntax;
  readonly typeMarkAt: Parts["typeMarkAt"];
  readonly isNextInList: Parts["isNextInList"];
  readonly header: RunHeader | undefined;
  /** The opener and the name are a message's header of harmony. */
  readonly isHeader: boolean;
  /** Where a name ends that is plain text. */
  readonly nameEnds: readonly Mark[];
  /** What begins or ends the arguments behind a name that lacks its end; none where they are an object. */
  readonly nameStops: readonly Mark[] | undefined;
  /** What stands before an id, behind the name. */
  readonly idMark: Mark | undefined;
  readonly argOpen: Mark | undefined;
  /** What ends a key, or opens the value behind what does. */
  readonly argKey: Mark | undefined;
  readonly argKeyClose: Mark | undefined;
  readonly argClose: Mark | undefined;
  /** What ends the elements that open calls and arguments. */
  readonly callEnd: Mark;
  readonly argEnd: Mark;
  readonly stops: readonly Mark[];
  /** What begins a run, or its next call. */
  readonly openers: readonly Mark[];
  /** What closes a call or its run. */
  readonly closers: readonly Mark[];
  /** What may stand behind a literal that lacks closers of its own. */
  readonly literalClosers: readonly Mark[];
  /** What ends reasoning: a call in reasoning does not reach behind it. */
  readonly reasoningClosers: readonly Mark[];
  /** The same for calls that are JSON objects all the same. */
  readonly asJson?: RowMarks;
}

/** What reads the parts of calls. A bundle holds those that its dialects have. */
export interface Parts {
  readonly bodies: Partial<Readonly<Record<Body, BodyReader>>>;
  readonly names: Partial<Readonly<Record<NamePlace, NameReader>>>;
  /** Of markers with parts that vary. */
  readonly look?: LookForText;
  /** Returns how a dialect writes literals. Default: as JSON. */
  readonly literals?: (row: DialectRow) => LiteralSyntax;
  /** Of calls that may be JSON objects all the same: returns the marks of such a call. */
  readonly asJson?: (marks: RowMarks) => RowMarks;
  readonly runHeader?: (header: string) => RunHeader;
  /** Of openers that another dialect has for its own: whether the first argument has this dialect's type mark. */
  readonly typeMarkAt?: (text: string, at: number, marks: RowMarks, ended: boolean) => number;
  /** Of calls in lists: whether the next one begins here. */
  readonly isNextInList?: (call: CallDraft, cursor: Cursor) => Reading<boolean>;
  /** Of several dialects. */
  readonly detector?: new (
    rows: readonly RowMarks[],
  ) => DialectFinder;
  /** Of marks that vanish. */
  readonly prose?: new (
    rows: readonly RowMarks[],
    heads?: readonly ProseHead[],
  ) => ProseFinder;
  readonly heads?: readonly ProseHead[];
}
