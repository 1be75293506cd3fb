import { isObject } from "@toolglot/internal";
import { stringify } from "smol-toml";
import { commonIndent, unwrapFence } from "./repair/code.ts";
import { escapeControl, hasControl } from "./toml-text.ts";
import type { AttpDocument } from "./types.ts";

/**
 * Writes a document as the protocol's template has it. `parse(serialize(document))` gives the same thought, call and
 * extra. Throws `TypeError` for a document without a call, and for `null` and lone surrogates in extra, which TOML cannot hold.
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
  if (holdsNull(data)) throw new TypeError("serialize() cannot write null: TOML has no such value");
  const text = stringify(data).trimEnd();
  if (
    /[\ud800-\udfff]/u.test(
      JSON.stringify(data).replace(/\\u(d[89a-f]..)/gi, (_, unit) => String.fromCharCode(parseInt(unit, 16))),
    )
  )
    throw new TypeError("serialize() cannot write a lone surrogate in extra");
  return text;
}

function holdsNull(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.values(value).some(holdsNull);
}

/** A line that a reader could take for another document's beginning. */
const beginsDocument = /^[ \t]*(?:\[{1,2}\s*tool_call|thought\s*=)/im;

/** A literal string where the text allows it and nothing in it would be taken for something to repair. */
function code(text: string): string {
  const plain = !hasControl(text) && !text.includes("'''") && !text.endsWith("'") && !beginsDocument.test(text);
  const untouched =
    commonIndent(text) === "" &&
    unwrapFence(text, "python") === undefined &&
    unwrapFence(text, "javascript") === undefined;
  return plain && untouched ? `'''\n${text}'''` : oneLine(text);
}

function multiLine(text: string): string {
  // Of quotes in a row only the last may stand bare, and none at the end.
  const escaped = escapeControl(text.replaceAll("\\", "\\\\")).replace(/"(?="|$)/g, '\\"');
  return `"""\n${escaped}"""`;
}

function oneLine(text: string): string {
  return `"${escapeControl(text.replaceAll("\\", "\\\\")).replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
}
