import { readJsonBody, type TakeLoose } from "./engines/json-body.ts";
import { findTaken } from "./engines/lost-quotes.ts";
import type { BodyReader } from "./scan/parts.ts";

/** Returns what reads calls in JSON: keys for the name and the arguments, or the arguments alone behind a name. */
export const jsonBodyWith = (takeLoose?: TakeLoose): BodyReader => ({
  read(call, cursor, marks) {
    const { arguments: args, call: rule } = marks.row;
    const isBehindName = call.name !== undefined && rule.nameKey === undefined;
    const isWhole = isBehindName || ((args.keys?.length ?? 0) === 0 && rule.name.at !== "only-key");
    return readJsonBody(call, cursor, marks, isWhole, takeLoose);
  },
});

/** Reads the arguments of calls in JSON. */
export const jsonBody: BodyReader = /* @__PURE__ */ jsonBodyWith();

/** Reads the arguments of calls in Gemma's syntax. */
export const keyedBody: BodyReader = {
  *read(call, cursor, marks) {
    call.strings = [];
    const isRead = yield* readJsonBody(call, cursor, marks, true);
    if (isRead) findTaken(call, ":");
    return isRead;
  },
};
