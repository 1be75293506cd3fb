import type {
  BlockBase,
  Diagnostic,
  JsonObject,
  JsonSchemaObject,
  ParseOptions,
  Span,
  ToolDefinition,
} from "@toolglot/core";
import type { DialectId } from "./table/ids.ts";
import type { Dialect } from "./table/types.ts";

/** A tool in OpenAI's shape. */
export interface FunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters?: object };
}

/** A tool as its calls are read: a definition of toolglot's, or OpenAI's shape of one. */
export type DialectTool =
  | FunctionTool
  | (Pick<ToolDefinition, "name"> & Partial<ToolDefinition> & { inputSchema: JsonSchemaObject });

/** A call that was read whole. */
export interface DialectCall {
  name: string;
  input: JsonObject;
  /** The model's own; most dialects have none. */
  id?: string;
  status: "complete" | "recovered";
  /** The arguments as they are written. */
  raw: string;
  span: Span;
}

/** A call that can't be read whole: nothing of it may run. */
export interface RejectedCall {
  name?: string;
  status: "truncated" | "invalid";
  raw: string;
  span: Span;
}

/** Calls that stand together: in one wrapper, or with nothing but white space between them. */
export interface DialectBlock extends BlockBase {
  dialect: DialectId | (string & {});
  /** Those that were read whole. */
  calls: DialectCall[];
  rejected: RejectedCall[];
}

/** A call to write. `id`: the model's own; dialects that have no place for ids leave it out. */
export interface WrittenCall {
  name: string;
  input: JsonObject;
  id?: string;
}

/** Options of every reader. */
export interface DialectParseOptions extends Omit<ParseOptions, "tools"> {
  /** The dialect that the model writes; `auto` tells it by what a call begins with. Default `auto`. */
  dialect?: DialectId | "auto" | Dialect;
  /** Tools: values are typed by their schemas, and calls without their marks are found by their names. Default: none. */
  tools?: readonly DialectTool[];
  /**
   * What becomes of a call in reasoning. `mark`: it is reported, and does not run. `accept-unclosed`: calls behind a reasoning opener that
   * nothing closes run. `accept`: those in closed reasoning run, too. Default `mark`.
   */
  callsInReasoning?: "mark" | "accept-unclosed" | "accept";
}

/**
 * Events of the push parser. Deltas of one argument, joined, are its value when that is a string; any other value comes in one delta, as
 * JSON. `call` counts the calls of a block from 0.
 */
export type DialectEvent =
  | { phase: "text"; type: "text-delta"; text: string }
  | { phase: "reasoning"; type: "reasoning-delta"; text: string }
  | { phase: "block-start"; type: "calls-start"; start: number; dialect?: string }
  /** `text` and `tool` are the name. */
  | { phase: "delta"; type: "call-start"; call: number; text: string; tool: string }
  | { phase: "delta"; type: "argument-start"; call: number; name: string; text: "" }
  | { phase: "delta"; type: "argument-delta"; call: number; name: string; param: string; text: string }
  | { phase: "delta"; type: "call-end"; call: number; text: "" }
  | { phase: "block-end"; type: "calls-end"; block: DialectBlock }
  | { phase: "diagnostic"; type: "diagnostic"; diagnostic: Diagnostic };
