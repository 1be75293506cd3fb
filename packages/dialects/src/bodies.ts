import { readJsonBody } from "./engines/json-body.ts";
import type { BodyReader } from "./scan/body-reader.ts";

/** Reads the arguments of calls in JSON: keys for the name and the arguments, or the arguments alone behind a name. */
export const readJsonCall: BodyReader = (call, cursor, marks) => {
  const { arguments: args, call: rule } = marks.row;
  const isBehindName = call.name !== undefined && rule.nameKey === undefined;
  const isWhole = isBehindName || ((args.keys?.length ?? 0) === 0 && rule.name.at !== "only-key");
  return readJsonBody(call, cursor, marks, isWhole);
};

/** Reads the arguments of calls in Gemma's syntax. */
export const readKeyed: BodyReader = (call, cursor, marks) => readJsonBody(call, cursor, marks, true);
