import { type JsonObject, nearest, type ToolErrorInfo } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";

/** One call of a model, found in the catalog or not. */
export type MeantCall =
  | { ok: true; row: AliasRow; args: JsonObject }
  | { ok: false; name: string; error: ToolErrorInfo };

/** What a model asked the `router` tool for. */
export type RouterInput =
  | { kind: "calls"; calls: MeantCall[]; isList: boolean }
  | { kind: "describe"; names: string[] }
  | { kind: "search"; query: string }
  | { kind: "malformed"; error: ToolErrorInfo };

const shape =
  'expected { "calls": [{ "idx": 0, "name": "…", "args": {…} }] }, { "describe": ["…"] } or { "search": "…" }';

/** Reads what a model wrote for the `router` tool. A call by itself, without a list around it, is understood, too. */
export function readRouterInput(input: unknown, rows: readonly AliasRow[]): RouterInput {
  if (!isObject(input)) return malformed(`The input is no object; ${shape}.`);
  const { calls, describe, search } = input;
  const given = [calls, describe, search].filter((part) => part !== undefined && part !== null);
  if (given.length > 1) return malformed("Give only one of calls, describe and search.");
  if (Array.isArray(calls)) {
    if (calls.length === 0) return malformed("calls is empty.");
    if (calls.length > 32) return malformed("There are more than 32 calls; give fewer at once.");
    return { kind: "calls", calls: calls.map((call) => findCall(call, rows)), isList: true };
  }
  if (isObject(calls)) return { kind: "calls", calls: [findCall(calls, rows)], isList: true };
  const names = typeof describe === "string" ? [describe] : describe;
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.length <= 8 &&
    names.every((name) => typeof name === "string")
  ) {
    return { kind: "describe", names };
  }
  if (typeof search === "string" && search.trim() !== "") return { kind: "search", query: search.slice(0, 500) };
  if (given.length === 0 && ("idx" in input || "name" in input)) {
    return { kind: "calls", calls: [findCall(input, rows)], isList: false };
  }
  return malformed(`The input can't be read; ${shape}.`);
}

function malformed(message: string): RouterInput {
  return { kind: "malformed", error: { type: "InvalidInput", message } };
}

/**
 * Finds the capability a model means. Number and name must agree: a number that slipped must not call something else. A
 * name alone is enough when there is one such capability, a number alone is not.
 */
function findCall(call: unknown, rows: readonly AliasRow[]): MeantCall {
  if (!isObject(call)) return wrong("", "InvalidInput", `A call is no object; ${shape}.`);
  const { idx: number, name, args = {} } = call;
  const idx = typeof number === "string" && /^\d{1,9}$/.test(number) ? Number(number) : number;
  if (typeof name !== "string" || name === "") {
    return wrong("", "InvalidInput", "A call needs the name of its capability, beside its idx.");
  }
  const named = findByName(name, rows);
  if (!isObject(args)) return wrong(name, "InvalidInput", `args of ${name} must be an object.`);
  if (named.length === 0) return unknownName(name, rows);
  if (idx === undefined || idx === null) {
    const [row, ...others] = named;
    if (row !== undefined && others.length === 0) return { ok: true, row, args: args as JsonObject };
    const numbers = named.map((found) => found.idx).join(", ");
    return wrong(name, "InvalidInput", `There are several ${name}: give the idx, one of ${numbers}.`);
  }
  const row = named.find((found) => found.idx === idx);
  if (row !== undefined) return { ok: true, row, args: args as JsonObject };
  const other = rows.find((found) => found.idx === idx);
  const has = other === undefined ? `There is no idx ${String(idx)}` : `idx ${String(idx)} is ${other.name}`;
  const numbers = named.map((found) => found.idx).join(", ");
  return wrong(name, "InvalidInput", `${has}, and ${name} is ${numbers}. Nothing was called.`);
}

/** Capabilities by name, or by id. */
export function findByName(name: string, rows: readonly AliasRow[]): AliasRow[] {
  return rows.filter((row) => row.name === name || row.cap_id === name);
}

/** A name that nothing has. */
export function unknownName(name: string, rows: readonly AliasRow[]): Extract<MeantCall, { ok: false }> {
  const near = nearest(
    name,
    rows.map((row) => row.name),
  );
  const hint = near.length === 0 ? "" : ` Nearest: ${near.join(", ")}.`;
  return wrong(name, "UnknownTool", `There is no capability ${JSON.stringify(name.slice(0, 100))}.${hint}`);
}

function wrong(name: string, type: string, message: string): Extract<MeantCall, { ok: false }> {
  return { ok: false, name, error: { type, message } };
}
