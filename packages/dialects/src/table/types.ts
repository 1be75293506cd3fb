import type { JsonObject } from "@toolglot/core";

/** Which of the readers a dialect is read by. `template`: by a checkpoint's own response template. */
export type Engine = "json" | "tags" | "python" | "keyed" | "messages" | "template";

/**
 * A text that stands between the parts of a call. White space at its edges, and between `>` and `<` in it, is what a writer puts
 * there; a reader takes any or none.
 */
export interface Marker {
  text: string;
  /** A special token of the model's: it never stands in a value, so it counts at first sight. */
  special?: true;
  /** Often missing, and then no slip. */
  optional?: true;
  /** It is read, and never written. */
  unwritten?: true;
  /** It counts only at the start of a line. */
  lineStart?: true;
  /** Other texts that are read as it, as a slip. The bars and underscores of DeepSeek's tokens need none: see {@link markerAt}. */
  lookAlikes?: readonly string[];
}

/** A marker with a part that each checkpoint has of its own: 0 to 16 letters and digits, the same in a whole block. */
export interface VariableMarker {
  prefix: string;
  suffix: string;
  variable: number;
  /** Stands before the part, where it is not empty: `:` in `<tool_call:abc>`. */
  lead?: string;
  special?: true;
  optional?: true;
  unwritten?: true;
}

/** Where the name of a call stands. */
export type NameRule =
  /** Value of one of these keys of the JSON object. */
  | { at: "key"; keys: readonly string[] }
  /** The only key of the JSON object; the arguments are its value. */
  | { at: "only-key" }
  /** An attribute of the element that the call's opener begins: `<invoke name="f">`. */
  | { at: "attribute"; attribute: string }
  /** Plain text behind the call's opener, up to one of these markers, an argument or the closer; the first marker is written. */
  | { at: "text"; until: readonly (Marker | VariableMarker)[] };

/** How a dialect writes calls, as data. A reader needs nothing else to know it. */
export interface Dialect {
  id: string;
  engine: Engine;
  /** Names of models, as their publishers write them, with `*` for any rest. */
  models: readonly string[];
  /** Where its facts were read: a published chat template or renderer, only a parser, or second hand. */
  evidence: "template" | "parser" | "second-hand";
  /** A text, and the calls that it holds. `serialize` writes the same text. */
  example: { text: string; calls: readonly { name: string; input: JsonObject; id?: string }[] };
  /** What opens a run of calls: one of these, the first is written. None: the calls stand for themselves. */
  open: readonly (Marker | VariableMarker)[];
  /** What closes it. */
  close?: readonly (Marker | VariableMarker)[];
  /** Stands before the wrapper of calls, as the header of a message; `{name}` is the name of the first. What ends it are the stops. */
  header?: string;
  /** What is written between two calls of a run. Default: nothing; in a list `, `. */
  separator?: string;
  /** The calls of a run stand in one list, as `[{…}, {…}]`. */
  list?: true;
  /** Each call has a wrapper of its own, so that a run is written as several of them. */
  wrapsEach?: true;
  call: {
    /** What opens a call. An attribute rule makes it the beginning of an element: `<invoke`. */
    open?: Marker | VariableMarker;
    name: NameRule;
    close?: Marker | VariableMarker;
    /** Ends the element that `open` begins. White space in it is what a writer puts there. Default `>`. */
    openEnd?: string;
    /** The JSON object holds the name once more, under this key. */
    nameKey?: string;
    /** An attribute that holds the number of the call in its run, counted from `from`. */
    index?: { attribute: string; from: number };
    /**
     * Where the model writes an id of each call: a key of the JSON, an attribute, or what follows this text behind the name. `counted`: it
     * stands before the name, and a call without one gets its number in the run, from 0.
     */
    id?: { key: string; counted?: true } | { attribute: string; counted?: true } | { behind: string };
    /** The text at the name's place is the call's id, written `{prefix}{name}:{number}`; the first group is the name. */
    idPattern?: string;
    /** A call may be a JSON object with its name and arguments, all the same; it is never written so. */
    json?: true;
    /** Stands before each name, and is no part of it. */
    prefix?: "functions.";
  };
  arguments: {
    /** Keys of the JSON object that may hold the arguments; the first is written. None: the JSON object is the arguments. */
    keys?: readonly string[];
    /** What opens an argument: `<parameter=`. With an attribute as key, the beginning of an element: `<parameter`. */
    open?: Marker | VariableMarker;
    /** Ends the key where `key` only opens the value: of elements whose marks have a variable part. */
    keyClose?: Marker | VariableMarker;
    /** Where its key ends: at this marker; or it is the element's own name, or an attribute of it. */
    key?: Marker | VariableMarker | "tag" | { attribute: string };
    close?: Marker | VariableMarker;
    /** As `openEnd` of calls. */
    openEnd?: string;
    /**
     * `one-lf`: one line break at each side of a value is layout, and no part of the markers here. `read-one-lf`: likewise, but it is
     * written only beside a line break of the value's own. Default `none`: nothing is.
     */
    pad?: "one-lf" | "read-one-lf" | "none";
    /** Marks whether the text of an argument is a string: an attribute of its opener, or an element behind the key. */
    typeMark?: { attribute: string; raw: readonly string[] } | { element: string; raw: readonly string[] };
    /** What the writer puts into the mark of any other value, or of each JSON type of one. Default `false`. */
    otherMark?: string | Readonly<Record<"number" | "boolean" | "null" | "array" | "object", string>>;
    /** CDATA is syntax here. */
    cdata?: true;
  };
  /** How values are written. `raw-or-json`: strings as they are, all else as JSON; `tree`: nested tags are objects, `<item>` lists. */
  values: "json" | "python" | "raw-or-json" | "gemma" | "tree";
  /** Pairs that strings stand between, where these are none of JSON's. */
  stringDelimiters?: readonly (readonly [open: string, close: string])[];
  /** Of `python`: strings are written between single quotes. */
  singleQuotes?: true;
  /** In strings between single quotes nothing is escaped; a quote closes one only where a value can end. Objects are written as JSON. */
  plainSingleQuotes?: true;
  /** JSON is written without spaces. */
  compact?: true;
  /** Keys of objects are written in the order of their letters, whether capital or not. */
  sorted?: true;
  /** The five entities of XML stand for their characters in attributes. */
  entities?: true;
  /** Marks that plain text stands between; they vanish. */
  prose?: readonly { open: string; close: string }[];
  reasoning: readonly { open: string; close: string; channel?: boolean }[];
  /** Tokens that end a message; a server may strip them. */
  stops: readonly string[];
  /** What stands behind a call: `none` when a message ends with its calls. */
  suffix: "text" | "none";
  /**
   * How results go back. `{name}`, `{content}` and `{callId}` stand for a result's own. `separator` stands between two items, default one
   * line break. `as`: the content is written as a JSON or Gemma value. None: as `hermes`.
   */
  results?: {
    open: string;
    item: string;
    close: string;
    role: "tool" | "user";
    separator?: string;
    as?: "json" | "gemma";
  };
  /** Whether `serialize` writes it. */
  write: boolean;
  /** Where servers strip its tokens, or it has none, calls are still found by the names of tools. */
  bare?: "known-names";
}

/** What reading and writing need of a dialect; the rest tells about it. */
export type DialectRow = Omit<Dialect, "models" | "evidence" | "example">;
