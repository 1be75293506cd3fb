import { matchName, normalizeKey } from "../names.ts";

/** A field of a step; `step` is absent where the block has no such one. */
export interface StepPlace {
  kind: "onError" | "retry" | "typeHint" | "uri" | "param";
  name: string;
  step: number | undefined;
}

/** What a field is, by its key. */
export type Place =
  | StepPlace
  | { kind: "command"; step: number; numbered: boolean }
  | { kind: "requestId" | "comment" | "common"; name: string };

/** The commands of a block, as far as keys need to know of them. */
export interface Commands {
  /** A command without number stands in the block. */
  plain: boolean;
  /** Commands with a number: the names of the parameters that their tools declare, where that is known. */
  numbered: ReadonlyMap<number, readonly string[] | undefined>;
}

/** Returns where a field belongs. `isFinal`: commands that are yet to come change nothing. */
export function placeOf(written: string, { plain, numbered }: Commands): { place: Place; isFinal: boolean } {
  const key = normalizeKey(written);
  const [, base = "", digits] = /^(.*\D)(\d{1,9})$/s.exec(key) ?? [];
  const name = base.endsWith("_") ? base.slice(0, -1) : base;
  const step = Number(digits);
  let isFinal = true;
  let place: Place;
  if (key === "command" || name === "command")
    place = { kind: "command", step: digits ? step : 1, numbered: digits !== undefined };
  else if (key === "request_id") place = { kind: "requestId", name: key };
  else if (key === "comment") place = { kind: key, name: key };
  else if (key.startsWith("common_") && key.length > 7) place = { kind: "common", name: key.slice(7) };
  else if (digits && numbered.has(step) && (name !== base || !matchName(key, numbered.get(step) ?? [])))
    place = named(name, step);
  else {
    place = named(key, plain ? 1 : undefined);
    isFinal = plain && digits === undefined;
  }
  return { place, isFinal };
}

function named(key: string, step: number | undefined): Place {
  if (key === "on_error" || key === "retry") return { kind: key === "retry" ? key : "onError", name: key, step };
  const [, prefix, name] = /^(type_hint|uri)_(.+)$/s.exec(key) ?? [];
  if (prefix && name) return { kind: prefix === "uri" ? "uri" : "typeHint", name, step };
  return { kind: "param", name: key, step };
}
