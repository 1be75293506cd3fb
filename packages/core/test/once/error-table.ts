import { readFileSync } from "node:fs";
import type { Verdict } from "../../src/once-layer.ts";

/** An error that was really provoked: see `conformance/once/provoke-errors.mjs`. */
export interface Vector {
  client: string;
  what: string;
  /** What is true of the effect. */
  verdict: Verdict;
  /** The client does not tell, so that nobody can know: `judgeHttp` says something else. */
  hidden?: true;
  error: unknown;
}

const file = new URL("../../../../conformance/once/http-errors.json", import.meta.url);
export const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] };

const words: Readonly<Record<string, string>> = {
  refused: "connection refused",
  unresolved: "name not found",
  "connect-timeout": "time-out of connecting",
  reset: "connection reset before the answer",
  closed: "connection closed before the answer",
  silent: "no answer in time",
  "cut-off": "connection reset in the middle of the answer",
  "503+after": "503 with `Retry-After` in seconds",
  "503+date": "503 with `Retry-After` as a date",
  "303+422": "303, then 422",
  "303+refused": "303, then connection refused",
  "503-then-400": "503, tried again: 400",
  "503-then-429": "503, tried again: 429",
  "503-then-503+after": "503, tried again: 503 with `Retry-After`",
  "refused-then-404": "closed, tried again: 404",
};

/** Returns the table of `docs/errors-of-http-clients.md`: what happened, what is true of the effect, and for which clients it was provoked. */
export function errorTable(): string {
  const byCase = new Map<string, Vector[]>();
  // Statuses first, as numbers are; then in the order in which they were provoked.
  for (const vector of vectors) byCase.set(vector.what, [...(byCase.get(vector.what) ?? []), vector]);
  const namesOf = (own: Vector[] = []) =>
    own.map(({ client, hidden }) => (hidden ? `~~${client}~~` : client)).join(", ");
  const all = namesOf(byCase.get("404"));
  const rows = [...byCase].map(([what, own]) => {
    const names = namesOf(own);
    return `| ${words[what] ?? what} | \`${own[0]?.verdict}\` | ${names === all ? "all" : names} |`;
  });
  return ["| what happened | verdict | clients |", "|---|---|---|", ...rows].join("\n");
}
