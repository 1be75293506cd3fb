import type { Diagnostic } from "@toolglot/core";
import { normalizeKey } from "./names.ts";
import { parse } from "./parse.ts";
import type { TamBlock, TamStep } from "./types.ts";

/** What of a block is written: its values, whatever else it holds. */
export type TamContent = Pick<TamBlock, "steps"> &
  Partial<Pick<TamBlock, "requestId" | "comment" | "comments" | "common" | "commonRaw">>;

/**
 * Writes a block as canonical TAM: standard delimiters, fields in the order of the specification, values of several lines
 * on lines of their own, a single step without numbers. Parsing it gives the same values again, less spans, raw texts and
 * diagnostics; names that tools declare in another spelling need the same tools for that.
 *
 * A value that holds fields itself is written, and reads back with `tam/ambiguous-delimiter`: its reader can't know whether it
 * lost its closer.
 *
 * Throws `TypeError` for what would not be read back: a value that no delimiters can hold, with outer white space or
 * `\r\n`; a name that is no key or means something else in a block; a comment of several lines.
 */
export function serialize(block: TamContent): string {
  const text = writeBlock(block);
  const { blocks, diagnostics } = parse(text, { maxInputLength: text.length });
  const [read] = blocks;
  if (!read) throw lost("the block");
  // What a value holds may open a field; what its delimiters are has to be plain.
  const isLoss = ({ code, severity, span }: Diagnostic): boolean =>
    severity === "warning" && (code !== "tam/ambiguous-delimiter" || /[«《<]/.test(text.slice(span.start, span.end)));
  const wanted = contentOf(block);
  const found = contentOf(read);
  for (const [key, value] of wanted) if (found.get(key) !== value) throw lost(key);
  if (found.size !== wanted.size || blocks.length > 1 || diagnostics.some(isLoss)) throw lost("the block");
  return text;
}

function lost(key: string): TypeError {
  return new TypeError(
    `serialize: ${key} would not be read back as it is: it needs a name that is a key, and a trimmed value with balanced delimiters`,
  );
}

/** Writes a block as {@link serialize} does, and does not look whether it reads back. */
export function writeBlock(block: TamContent): string {
  const { steps, commonRaw } = block;
  const bare = isBare(steps);
  const lines = (block.comments ?? []).map(({ text }) => `# ${text}`.trimEnd());
  const put = (key: string, value: string, raw?: string): void => {
    lines.push(`${key}:»»»${bodyOf(value, raw)}«««`);
  };
  if (block.requestId !== undefined) put("request_id", block.requestId);
  if (block.comment !== undefined) put("comment", block.comment);
  for (const [name, value] of Object.entries(block.common ?? {})) put(`common_${name}`, value, commonRaw?.[name]);
  for (const step of steps) {
    const suffix = bare ? "" : `_${step.index}`;
    put(`command${suffix}`, step.tool);
    if (step.onError !== "stop") put(`on_error${suffix}`, step.onError);
    if (step.retry !== 0) put(`retry${suffix}`, String(step.retry));
    for (const [name, hint] of Object.entries(step.typeHints)) put(`type_hint_${name}${suffix}`, hint);
    for (const [name, uri] of Object.entries(step.uris)) put(`uri_${name}${suffix}`, uri);
    for (const [name, value] of Object.entries(step.params)) put(name + suffix, value, step.raw[name]);
  }
  return ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>", ""].join("\n");
}

/** Whether the only step can be written without its number. */
function isBare([step, second]: readonly TamStep[]): boolean {
  return step?.index === 1 && !second && !("comment" in step.params || "request_id" in step.params);
}

/** A value between delimiters: as it was written where that says the same, else on lines of its own if it needs them. */
function bodyOf(value: string, raw: string | undefined): string {
  const edges = /\n|^[\s»》>]|[\s«《<]$/;
  if (raw !== undefined && raw.trim() === value && !/^[»》>]|[«《<]$/.test(raw)) return raw;
  return edges.test(value) ? `\n${value}\n` : value;
}

/** Every value of a block by what it is; comments in order. */
function contentOf(block: TamContent): Map<string, string> {
  const content = new Map<string, string>();
  const add = (prefix: string, record: Record<string, string> | undefined): void => {
    for (const [name, value] of Object.entries(record ?? {})) content.set(`${prefix}${normalizeKey(name)}`, value);
  };
  const { requestId, comment } = block;
  if (requestId !== undefined) content.set("request_id", requestId);
  if (comment !== undefined) content.set("comment", comment);
  add("common_", block.common);
  for (const [at, { text }] of (block.comments ?? []).entries()) content.set(`comment line ${at + 1}`, text);
  for (const { index, tool, onError, retry, typeHints, uris, params } of block.steps) {
    const step = `step ${index}, `;
    add(step, { command: tool, on_error: onError, retry: String(retry) });
    add(`${step}type_hint_`, typeHints);
    add(`${step}uri_`, uris);
    add(`${step}parameter `, params);
  }
  return content;
}
