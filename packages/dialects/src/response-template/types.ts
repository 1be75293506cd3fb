import type { JsonObject, JsonValue } from "@toolglot/core";

/** Options of the content parsers. Each parser reads its own, and those of another do nothing. */
export interface ContentArguments {
  /** White space at the edges of the text is no part of it. Default true. */
  strip?: boolean;
  /** Of `json`: words before a colon are keys. Default false. */
  unquoted_keys?: boolean;
  /** Of `json`: pairs that strings stand between, with nothing to escape in them. Default: none but JSON's quotes. */
  string_delims?: [open: string, close: string][];
  /** Of `json`: what is no JSON is its text. Default false. */
  allow_non_json?: boolean;
  /** Of `xml-inline`, required: a Python pattern with the groups `key` and `value`. */
  tag_pattern?: string;
  /** Of `xml-inline` and `kv-lines`: how values are read. Default: they are texts. */
  value_parser?: { name?: ContentParser; args?: ContentArguments } | null;
  /** Of `xml-inline`: values of one key are put into a list. Default false: the last one wins. */
  merge_duplicates?: boolean;
  /** Of `kv-lines`: what ends a line. Default a line feed. */
  line_sep?: string;
  /** Of `kv-lines`: what ends a key. Default `:`. */
  kv_sep?: string;
}

/** How the text of a region becomes a value. */
export type ContentParser = "text" | "int" | "float" | "bool" | "json" | "xml-inline" | "kv-lines";

/** A region of the text, and the member of the message that it becomes. */
export interface ResponseField {
  /** What opens it: one of these texts. No opener: it takes what no other field takes; one field at most. */
  open?: string | string[];
  /** What opens it, as a pattern of Python's. */
  open_pattern?: string;
  /** What closes it. No closer: it goes to the end of the text. */
  close?: string | string[];
  close_pattern?: string;
  /** Default `text`. */
  content?: ContentParser;
  content_args?: ContentArguments;
  /** The member is a list with a value for each region. Default false: the last region wins. */
  repeats?: boolean;
  /** Texts of several regions are one text, with this between them. Needs `repeats`. */
  join?: string;
  /** Default true. */
  optional?: boolean;
  /** The value's shape. A text `{content}` stands for what was read, `{content.name}` for a part of it, `{group}` for a group. */
  transform?: JsonValue;
  /** The transform is made for each item of a list, and its placeholders are the item's members. Default false. */
  transform_each?: boolean;
}

/** The member `response_template` of a checkpoint's tokenizer_config.json, version 1. */
export interface ResponseTemplate {
  version?: number;
  /** Members that the message has from the start. */
  defaults?: JsonObject;
  /** What ends the prompt's last message before the answer. The prefix of an answer is what stands behind its last one. */
  start_anchor?: string | string[];
  start_anchor_pattern?: string;
  fields: Record<string, ResponseField>;
}

/**
 * What a text tells while it is read. Offsets are those of the text that was fed; what stands in the prefix has negative ones.
 */
export type ResponseEvent =
  /** `start` and `end`: the opener's. A field without opener opens where its first character stands. */
  | { type: "region_open"; field: string; captures: Readonly<Record<string, string>>; start: number; end: number }
  /** `dirty`: the value is not this text, but what will be read from it. */
  | { type: "region_chunk"; field: string; text: string; dirty: boolean }
  /** `start` and `end`: the closer's. Both are the text's end, and `closed` is false, where the text ended before a closer. */
  | { type: "region_close"; field: string; value: JsonValue; start: number; end: number; closed: boolean }
  /**
   * A region whose text can't be read: it adds nothing to the message, and the next ones are read. Or a delimiter of more than 1,000
   * units, which is read as text; then no region has ended, and `start` and `end` are where it begins.
   */
  | { type: "region_malformed"; field: string; error: string; start: number; end: number; closed: boolean }
  /** Comes first, where a pattern of the field looks so far ahead that text is held back until it is decided. */
  | { type: "template_held"; code: "dialects/template-held"; field: string };

/** Reads a message piece by piece. */
export interface ResponseParser {
  /**
   * Takes the next piece of the text.
   *
   * @throws TypeError when the chunk is no string, or after `end()`.
   */
  feed(chunk: string): void;
  /**
   * Ends the text, and returns the message.
   *
   * @throws ToolglotError with the code `dialects/response-incomplete` when a field is missing that is not optional.
   */
  end(): JsonObject;
  /** Events of the prefix. `onEvent` does not receive them again. */
  readonly initialEvents: readonly ResponseEvent[];
}
