import type { ExactStream, ValueStream } from "../fields/value.ts";
import type { TamBlock, TamComment } from "../types.ts";
import type { Run } from "./marks.ts";

/** A field as the scan found it. Offsets are those of the whole text. */
export interface Field {
  /** Counted from 0 in its block. */
  number: number;
  /** Signs that stand before the name: a list's, a comment's of some language. */
  lead: string;
  key: string;
  /** It names a tool. */
  isName: boolean;
  /** Before the lead. */
  keyStart: number;
  keyEnd: number;
  bodyStart: number;
  bodyEnd: number;
  /** After the closing delimiter. */
  end: number;
  /** White space at the beginning of its line. */
  indent: number;
  /** The text between the delimiters; empty until the field ends. */
  raw: string;
  /** The same as a parameter has it. */
  value: string;
  /** Its parameter takes the text as it is written. */
  exact?: boolean;
}

/** Something that was read as meant, though not as written. */
export interface Note {
  code:
    | "mixed-delimiters-used"
    | "alternate-delimiters-used"
    | "equals-separator"
    | "stray-text"
    | "commented-field"
    | "unclosed-value"
    | "ambiguous-delimiter";
  start: number;
  end: number;
  /** A value may be not the one that was meant. */
  affectsValue?: boolean;
}

/** Signs that may open or close a comment of another language: a line between fields, what follows a closer on its line, a comment, a key. */
export interface Sign {
  start: number;
  end: number;
  kind: "line" | "rest" | "comment" | "key";
  /** It opens a comment even where nothing closes it. */
  isAlone?: boolean;
}

/** What the scan of one block found. */
export interface Scan {
  start: number;
  /** End of the start marker. */
  head: number;
  /** After the last text that belongs to the block. */
  end: number;
  fields: Field[];
  comments: TamComment[];
  notes: Note[];
  /** Its end marker was found, or ended the message. */
  closed: boolean;
  /** The text ended inside the block because it was cut, as far as that is known. */
  cut: boolean;
  /** The text ended behind a value that may continue. */
  doubtful: boolean;
}

/** What the readers of one text know of each other. */
export interface Shared {
  /** Where values begin that have no balancing closer; several blocks of the text may hold them. */
  flat: Set<number>;
  /** A start marker ended a block whose values are in doubt: it and all that follows may be text of such a value. */
  inner: boolean;
}

/** What a reader needs from its surroundings. */
export interface ReaderHost {
  /** Whether a key is one of a parameter that a tool of the block declares, and that has no value yet. */
  takes(key: string): boolean;
  /** Begins a field: returns where its text goes while it comes in, if anywhere. */
  begin(field: Field): ((text: string) => void) | undefined;
  end(field: Field): void;
  comment(comment: TamComment): void;
  finish(scan: Scan): TamBlock;
}

/** Where reading comes back to when a value turns out to have no balancing closer. */
export interface Checkpoint {
  offset: number;
  /** It stands at the start of a line. */
  fresh: boolean;
}

/** A value whose end is searched for. */
export interface OpenValue {
  field: Field;
  opener: Run;
  family: number;
  stream: ValueStream | ExactStream | undefined;
  /** Openers inside no longer count: the value has no closer that balances them. */
  flat: boolean;
  /** Openers inside that wait for their closers: where their values begin, and their length. */
  nested: { body: number; length: number }[];
  /** Where the values of all openers inside begin. */
  bodies: number[];
  /** An opener inside begins a field that the tool takes. */
  asFields: boolean;
  /** Openers inside whose closers were followed by plain text. */
  loose: number[];
  /** There were openers inside. */
  opens: boolean;
  /** A closer followed by plain text: the end, unless another one comes before the next field. */
  candidate?: Run | undefined;
  /** No empty line stands between that closer and the text. */
  candidateIsNear: boolean;
  /** The first candidate that stands in front of what may be a field: then it may have been the end. */
  beforeField?: Run | undefined;
  /** A good closer of another family: the end, when none of the value's own comes. */
  otherFamily?: Run | undefined;
  /** From here on everything depends on what follows; the text before is final. */
  checkpoint?: Checkpoint | undefined;
  /** An end marker, or a closing fence, stands in the value: it may be the block's. */
  ended: boolean;
  fenceEnded: boolean;
  /** Start markers in the value that wait for their end markers. */
  started: number;
}
