import { toJsonText } from "@toolglot/core";

/** Where two JSON values first differ. */
export interface Difference {
  /** As `messages[3].parts[0].text`; empty for the values as a whole. */
  path: string;
  /** Excerpts of both, as JSON; `nothing` for what is not there. */
  recorded: string;
  now: string;
}

/** Characters of an excerpt, around the place where two texts part. */
const excerptLength = 40;

/** Returns the first difference of two JSON values, in the order of the recorded one's keys; undefined when they are equal. */
export function firstDifference(recorded: unknown, now: unknown, path = ""): Difference | undefined {
  if (Object.is(recorded, now)) return undefined;
  if (typeof recorded === "string" && typeof now === "string") return textDifference(recorded, now, path);
  if (!isContainer(recorded) || !isContainer(now) || Array.isArray(recorded) !== Array.isArray(now)) {
    return { path, recorded: excerpt(recorded), now: excerpt(now) };
  }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(now)]);
  for (const key of keys) {
    const inner = Array.isArray(recorded) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const found = firstDifference(recorded[key], now[key], inner);
    if (found) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textDifference(recorded: string, now: string, path: string): Difference {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at += 1;
  const from = Math.max(0, at - excerptLength / 2);
  const around = (text: string): string => `${from > 0 ? "…" : ""}${text.slice(from, from + excerptLength)}`;
  return {
    path: `${path} at character ${at}`.trimStart(),
    recorded: JSON.stringify(around(recorded)),
    now: JSON.stringify(around(now)),
  };
}

function excerpt(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = toJsonText(value);
  return text.length > 2 * excerptLength ? `${text.slice(0, 2 * excerptLength)}…` : text;
}
