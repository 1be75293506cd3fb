import type { BlockBase, Diagnostic, JsonObject, ParseOptions, Span } from "@toolglot/core";

/** A shell script. */
export interface CommandCall {
  tool: "command";
  /**
   * Trimmed, common leading indentation taken off, of a script that begins on the line of its tag at most that line's own; CDATA
   * stands as it is, outer white space too. Never empty.
   */
  script: string;
  /** The `timeout` attribute, which is in seconds. */
  timeoutMs?: number;
  cwd?: string;
  span: Span;
}

/** One replacement. `find` and `replace` are exact, but for one line break after the opening and before the closing tag. */
export interface TextEdit {
  find: string;
  replace: string;
  /** Replace every occurrence; without it there must be exactly one. */
  all?: boolean;
}

/** Replacements in files, in order. */
export interface EditCall {
  tool: "edit";
  /** `encoding`: the one that a file is in, as it is named; undefined: it is found out. */
  files: { src: string; encoding?: string; edits: TextEdit[] }[];
  span: Span;
}

/** Files, directories and searches to read. Line numbers start at 1, and both ends are included; `encoding` is as in {@link EditCall}. */
export interface ReadCall {
  tool: "read";
  files: { src: string; from?: number; to?: number; encoding?: string }[];
  searches: { pattern: string; src?: string; glob?: string }[];
  span: Span;
}

/** Asks the user for a secret. */
export interface GetValueCall {
  tool: "get_value";
  key: string;
  reason: string;
  note?: string;
  span: Span;
}

/** Text for the shell's standard input, escapes decoded, nothing appended. */
export interface InputCall {
  tool: "input";
  data: string;
  span: Span;
}

/** A control character for the shell: a lower-case letter or one of `[ \ ] ^ _`. */
export interface CtrlCall {
  tool: "ctrl";
  key: string;
  span: Span;
}

/** A call to a tool of an MCP server; the `tool` attribute is read into `name`. */
export interface McpCall {
  tool: "mcp";
  server: string;
  name: string;
  arguments: JsonObject;
  span: Span;
}

/** A call to a tool that the caller declared. */
export interface CustomCall {
  tool: "custom";
  name: string;
  /** From attributes and child elements, or a JSON body; strings coerced to the declared types. */
  input: JsonObject;
  span: Span;
}

/** One call of a block. */
export type ToolsXmlCall =
  | CommandCall
  | EditCall
  | ReadCall
  | GetValueCall
  | InputCall
  | CtrlCall
  | McpCall
  | CustomCall;

/** A call that the end of the text cut off: what it was going to be. Never run. */
export interface TruncatedCall {
  /** The tag as written, lower-cased. */
  name: string;
  span: Span;
}

/** An XML comment inside the block, less its marks and outer white space. */
export interface ToolsXmlComment {
  text: string;
  span: Span;
}

/** One `<tools>` element. */
export interface ToolsXmlBlock extends BlockBase {
  /** In document order. Complete calls only; when the block is `invalid`, those that are right. */
  calls: ToolsXmlCall[];
  truncatedCall?: TruncatedCall;
  comments: ToolsXmlComment[];
}

/**
 * Events of the push parser. `call` counts the block's call elements from 0. `field` names the text of the call that a delta
 * belongs to: a path into the parsed call (`script`, `files[0].edits[1].find`, `data`, `key`, `input.path`), or
 * `arguments` / `input` for a JSON body. Deltas of one field, joined, are its text. Those of a field that is an argument of the call, as
 * it is, have `param`; each other argument of a call that was read comes as one `argument`, its text or its JSON, before `call-end`.
 */
export type ToolsXmlEvent =
  | { phase: "text"; type: "text-delta"; text: string }
  | { phase: "reasoning"; type: "reasoning-delta"; text: string }
  | { phase: "block-start"; type: "tools-start"; start: number }
  /** `text` is the tag's name, lower-cased. */
  | { phase: "delta"; type: "call-start"; call: number; tool: string; text: string }
  /** `text` is the decoded value. `field` is the path of the element that has the attribute; empty for the call's own tag. */
  | { phase: "delta"; type: "attribute"; call: number; field: string; name: string; text: string }
  | { phase: "delta"; type: "body-delta"; call: number; field: string; param?: string; text: string }
  | { phase: "delta"; type: "argument"; call: number; param: string; text: string }
  /** `text` is empty. */
  | { phase: "delta"; type: "call-end"; call: number; text: "" }
  | { phase: "block-end"; type: "tools-end"; block: ToolsXmlBlock }
  | { phase: "diagnostic"; type: "diagnostic"; diagnostic: Diagnostic };

/**
 * Options of the ToolsXML parser. `tools` declares the custom tags, by tool name. A declared tool whose input schema marks a
 * string property `"x-raw-body": true` takes its body as raw text, like `command`.
 */
export type ToolsXmlParseOptions = ParseOptions;

/** Options of {@link createParser}. */
export interface ToolsXmlParserOptions extends ToolsXmlParseOptions {
  onEvent?: (event: ToolsXmlEvent) => void;
}
