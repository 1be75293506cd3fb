import { ToolglotError } from "@toolglot/core";

// What goes between a store and its thread: one message for all that is asked for in a tick, and one for all that was
// settled together. Steps go as they are, tuples of texts and numbers; everything else as JSON texts, which take no longer than
// clones of objects, and are copies. What JSON can't say is cloned, alone.

/** What a thread is started with. */
export interface ThreadData {
  kind: "store" | "log";
  settings: object;
  /** Where the package `libsql` is. */
  libsql?: string | undefined;
}

/** What is asked for: its number, which method, with what; a text is JSON. */
export type Request = [id: number, method: number, given: string | readonly unknown[]];
/** With the time of the store's clock, where that is not the machine's. */
export type Requests = [now: number | undefined, ...requests: Request[]];
/** What a request came to: nothing, a value as it is or as JSON, or an error. */
export type Answer =
  | [id: number, value?: unknown]
  | [id: number, json: string, form: "json"]
  | [id: number, error: ErrorFacts, form: "error"];

/** What the thread says first. */
export type Opened = { opened: Part } | { failed: ErrorFacts };
/** An object that has methods, by their numbers, values, and objects like it. `step`: takes one tuple, as it is. */
export type Part = { [name: string]: { method: number } | { step: number } | { value: unknown } | { part: Part } };

/** Whether JSON says all of it. Members that are undefined are as good as none. */
export function isJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        const inner: unknown = value[key as never];
        if (inner !== undefined && !isJson(inner)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

/** An error as data. */
export interface ErrorFacts {
  name: string;
  message: string;
  isOurs: boolean;
  /** Its own fields: `code` and `data`, what SQLite says. */
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

/** The same error on this side: of the same class, as far as anybody distinguishes them. */
export function errorOf({ name, message, isOurs, fields, cause: facts }: ErrorFacts): Error {
  const cause = facts && errorOf(facts);
  if (isOurs) return new ToolglotError(String(fields.code), message, { data: fields.data as never, cause });
  const { [name]: Class = Error } = errors;
  return Object.assign(new Class(message, cause && { cause }), fields, { name });
}
