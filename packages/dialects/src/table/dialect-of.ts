import { nearest } from "@toolglot/core";
import { dialects } from "./all.ts";
import { checkDialect } from "./check-dialect.ts";
import { type DialectId, dialectIds } from "./ids.ts";
import type { Dialect } from "./types.ts";

/** Returns the dialect of an id, or a host's own one, checked. `TypeError`, which begins with `what`, for any other value. */
export function dialectOf(what: string, dialect: DialectId | (string & {}) | Dialect): Dialect {
  if (typeof dialect !== "string") {
    checkDialect(dialect);
    return dialect;
  }
  if (Object.hasOwn(dialects, dialect)) return dialects[dialect as DialectId];
  const [near] = nearest(dialect, dialectIds, 1);
  const hint = near ? `Did you mean ${JSON.stringify(near)}?` : `It is one of: ${dialectIds.join(", ")}.`;
  throw new TypeError(`${what}: there is no dialect ${JSON.stringify(dialect)}. ${hint}`);
}
