import { foreignCloser } from "@toolglot/core/text";
import { isDressed, isObject, withoutInvisible } from "@toolglot/internal";
import { stringify } from "smol-toml";
import { commonIndent, unwrapFence } from "./repair/code.ts";
import { isCleanEnd } from "./scan/string-scan.ts";
import { escapeControl, escapeUnit, hasControl } from "./toml-text.ts";
import type { AttpDocument } from "./types.ts";

/**
 * Writes a document as the protocol's template has it. `parse(serialize(document))` returns the same thought, call and
 * extra, without a finding of what was written. Throws `TypeError` for a document without a call, and for `null`, lone surrogates and
 * very deep nesting in extra, which TOML or its readers cannot hold.
 *
 * @example
 * ```ts
 * const text = serialize({ thought: "Easy.", toolCall: { status: "success", code: "__result__ = 1\n" } });
 * ```
 */
export function serialize({ thought, toolCall, extra = {} }: Partial<AttpDocument>): string {
  if (!toolCall) throw new TypeError("serialize() needs a document with a toolCall; this one has none");
  const { tool_call: inner = {}, ...outer } = extra;
  const { keys, tables } = splitExtra(outer);
  const parts: string[] = [];
  if (thought !== undefined) parts.push(`thought = ${thought.includes("\n") ? multiLine(thought) : oneLine(thought)}`);
  if (keys !== "") parts.push(keys);
  // Without a thought, keys have to adjoin the table to be seen as part of the document.
  if (thought !== undefined) parts.push("");
  parts.push("[tool_call]", `status = "${toolCall.status}"`);
  if (toolCall.target !== undefined) parts.push(`target = ${oneLine(toolCall.target)}`);
  if (toolCall.status === "fail") parts.push(`message = ${oneLine(toolCall.message)}`);
  const own = splitExtra(inner as Record<string, unknown>);
  if (own.keys !== "") parts.push(own.keys);
  if (toolCall.code !== undefined) parts.push(`code = ${code(toolCall.code)}`);
  if (toolCall.status === "success" && toolCall.message !== undefined)
    parts.push(`message = ${oneLine(toolCall.message)}`);
  if (own.tables !== undefined) parts.push("", toToml({ tool_call: own.tables }));
  if (tables !== undefined) parts.push("", toToml(tables));
  return `${parts.join("\n")}\n`;
}

/** Keys with plain values have to stand before tables. */
function splitExtra(extra: Record<string, unknown>): { keys: string; tables: Record<string, unknown> | undefined } {
  const plain = Object.entries(extra).filter(([, value]) => !holdsTables(value));
  const tables = Object.entries(extra).filter(([, value]) => holdsTables(value));
  return {
    keys: plain.length > 0 ? toToml(Object.fromEntries(plain)) : "",
    tables: tables.length > 0 ? Object.fromEntries(tables) : undefined,
  };
}

function holdsTables(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject);
  return typeof value === "object" && value !== null;
}

function toToml(data: Record<string, unknown>): string {
  checkExtra(data, 0);
  return stringify(data).trimEnd();
}

/** No document is read that is nested deeper. */
const deepest = 150;

/** Throws for what TOML has no form for, or that would not be read back. */
function checkExtra(value: unknown, depth: number): void {
  const kind = value === undefined ? "null" : value === null ? "null" : typeof value;
  if (!/^(?:object|string|number|boolean)$/.test(kind))
    throw new TypeError(`serialize() cannot write ${kind}: TOML has no such value`);
  const record = typeof value === "object" ? (value as Record<string, unknown>) : {};
  for (const text of typeof value === "string" ? [value] : Object.keys(record))
    if (/\p{Cs}/u.test(text)) throw new TypeError("serialize() cannot write a lone surrogate in extra");
  if (depth > deepest) throw new TypeError("serialize() cannot write extra that is nested so deeply");
  for (const item of Object.values(record)) checkExtra(item, depth + 1);
}

/** A line that a reader could take for another document's beginning. */
const beginsDocument = /^[ \t]*(?:\[{1,2}\s*tool_call|thought\s*=)/im;

/** Writes a literal string where the text allows it and nothing in it would be taken for something to repair, or for an end in doubt. */
function code(text: string): string {
  const plain = !hasControl(text) && !text.includes("'''") && !text.endsWith("'") && !beginsDocument.test(text);
  const untouched =
    commonIndent(text) === "" &&
    foreignCloser(text, "attp") === undefined &&
    withoutInvisible(text) === text &&
    unwrapFence(text, "python") === undefined &&
    unwrapFence(text, "javascript") === undefined;
  const lastLine = text.slice(text.lastIndexOf("\n") + 1);
  const isCertain =
    text.split('"""').length % 2 === 1 &&
    isCleanEnd({ keyStart: 0, lineStart: 0 }, lastLine === text ? `\n${text}` : lastLine, false);
  return plain && untouched && isCertain ? `'''\n${text}'''` : oneLine(text);
}

function multiLine(text: string): string {
  // Of quotes in a row only the last may stand bare, and none at the end.
  const escaped = escapeControl(text.replaceAll("\\", "\\\\")).replace(/"(?="|$)/g, '\\"');
  return `"""\n${escaped}"""`;
}

function oneLine(text: string): string {
  const escaped = escapeLine(text);
  if (!isDressed(escaped) && !foreignCloser(escaped, "attp")) return `"${escaped}"`;
  // A reader would doubt the text's edges: escapes show that they are meant.
  const edge = (unit: string): string => (/[\ud800-\udfff]/.test(unit) ? unit : escapeUnit(unit));
  return `"${edge(text.charAt(0))}${escapeLine(text.slice(1, -1))}${text.length > 1 ? edge(text.slice(-1)) : ""}"`;
}

const escapeLine = (text: string): string =>
  escapeControl(text.replaceAll("\\", "\\\\")).replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t");
