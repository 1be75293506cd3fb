import { ToolglotError } from "@toolglot/core";
import { isJson } from "@toolglot/internal";

// The messages between a store and its thread. One message carries all requests of a tick, and one carries all answers
// that were settled together. The arguments of a step are a tuple of texts and numbers, which is cloned as it is. All
// other arguments go as JSON texts: these are copies and take no longer than clones of objects. Arguments that JSON
// can't express, such as bytes, are cloned.

/** The data that a thread starts with. */
export interface ThreadData {
  settings: object;
  /** The address of the package `libsql`. */
  libsql?: string | undefined;
}

/** A request: its number, the number of the method, and the arguments. Arguments in a text are JSON. */
export type Request = [id: number, method: number, given: string | readonly unknown[]];
/** Requests with the time of the store's clock; the time is undefined when the store uses the machine's clock. */
export type Requests = [now: number | undefined, ...requests: Request[]];
/** The answer to a request: nothing, a value as it is or as JSON, or an error. */
export type Answer =
  | [id: number, value?: unknown]
  | [id: number, json: string, form: "json"]
  | [id: number, error: ErrorFacts, form: "error"];

/** The first message of the thread. */
export type Opened = { opened: Part } | { failed: ErrorFacts };
/**
 * Describes an object: its methods by their numbers, its values, and its inner objects. `step`: a method of one tuple.
 */
export type Part = { [name: string]: { method: number } | { step: number } | { value: unknown } | { part: Part } };

/** An error as data. */
export interface ErrorFacts {
  name: string;
  message: string;
  isOurs: boolean;
  /** The error's own fields, such as `code` and `data`, and those of SQLite. */
  fields: Record<string, unknown>;
  cause?: ErrorFacts;
}

export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), isOurs: false, fields: {} };
  const { name, message, cause } = error;
  const fields = Object.fromEntries(Object.entries(error).filter(([key, value]) => key !== "cause" && isJson(value)));
  const because = cause === undefined ? {} : { cause: errorFacts(cause) };
  return { name, message, isOurs: ToolglotError.isInstance(error), fields, ...because };
}

const errors: Readonly<Record<string, new (message: string, options?: ErrorOptions) => Error>> = {
  TypeError,
  RangeError,
};

/** Returns the same error on this side. Its class is the same for the classes that callers distinguish. */
export function errorOf({ name, message, isOurs, fields, cause: facts }: ErrorFacts): Error {
  const cause = facts && errorOf(facts);
  if (isOurs) return new ToolglotError(String(fields.code), message, { data: fields.data as never, cause });
  const { [name]: Class = Error } = errors;
  return Object.assign(new Class(message, cause && { cause }), fields, { name });
}
