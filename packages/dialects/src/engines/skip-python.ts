import type { Cursor, Reading } from "../scan/cursor.ts";

/**
 * Goes behind the closing parenthesis of a call that was rejected, or the end of its object: those in strings and in further brackets don't
 * count. `isOnLine`: it ends with its line at the latest.
 */
export function* skipPythonCall(cursor: Cursor, isOnLine: boolean): Reading<boolean> {
  let { depth, quote } = cursor.failedIn;
  cursor.failedIn = { depth: 0, quote: "" };
  depth += 1;
  while (depth > 0) {
    const { source } = cursor;
    const { text } = source;
    for (; source.at < text.length; source.at += 1) {
      const unit = text.charAt(source.at);
      if (isOnLine && unit === "\n") return false;
      if (quote !== "") {
        // What is escaped may not have come yet.
        if (unit === "\\" && source.at + 1 >= text.length && !cursor.ended) break;
        if (unit === "\\") source.at += 1;
        else if (unit === quote || unit === "\n") quote = "";
      } else if (unit === '"' || unit === "'") quote = unit;
      else if (unit === "(" || unit === "[" || unit === "{") depth += 1;
      else if (unit === ")" || unit === "]" || unit === "}") {
        depth -= 1;
        if (depth === 0) {
          source.at += 1;
          return true;
        }
      }
    }
    if (!(yield* cursor.wait())) return false;
  }
  return true;
}
