import { exactJsonText, foreignCloser } from "@toolglot/core/text";
import { hasInvisibleEdge, isDressedLine, readValue } from "./fields/value.ts";
import { readJsonString } from "./hints.ts";
import { normalizeKey } from "./names.ts";
import { parse } from "./parse.ts";
import type { TamBlock, TamStep, TamTypeHint } from "./types.ts";

/** What of a block is written: its values, whatever else it holds. */
export type TamContent = Pick<TamBlock, "steps"> &
  Partial<Pick<TamBlock, "requestId" | "comment" | "comments" | "common" | "commonRaw">>;

/**
 * Writes a block as canonical TAM: standard delimiters, fields in the order of the specification, values of several lines
 * on lines of their own, a single step without numbers. Parsing it yields the same values again, without findings, less spans and
 * raw texts; names that tools declare in another spelling need the same tools for that. A parameter that delimiters can't
 * hold plainly is written as a JSON string, under a type hint.
 *
 * Throws `TypeError` for what would not be read back: a name that is no key or means something else in a block; a field other than a
 * parameter with outer white space, `\r\n` or delimiters; a comment of several lines.
 *
 * @example
 * ```ts
 * const [block] = parse(answer).blocks;
 * const text = block && serialize(block);
 * ```
 */
export function serialize(block: TamContent): string {
  const text = writeBlock(block);
  const { blocks, diagnostics } = parse(text, { maxInputLength: text.length });
  const [read] = blocks;
  if (!read) throw lost("the block");
  const wanted = contentOf(block);
  const found = contentOf(read);
  for (const [key, value] of wanted) if (found.get(key) !== value) throw lost(key);
  // An error is one of the block's own.
  const isLoss = diagnostics.some(({ severity }) => severity === "warning");
  if (found.size !== wanted.size || blocks.length > 1 || isLoss) throw lost("the block");
  return text;
}

function lost(key: string): TypeError {
  return new TypeError(
    `serialize: ${key} would not be read back as it is: it needs a name that is a key, and what is no parameter a trimmed value with balanced delimiters`,
  );
}

/** Writes a block as {@link serialize} does, and does not look whether it reads back. */
export function writeBlock(block: TamContent): string {
  const { steps, commonRaw } = block;
  const bare = isBare(steps);
  const lines = (block.comments ?? []).map(({ text }) => `# ${text}`.trimEnd());
  const put = (key: string, value: string, body: string = plainBody(value) ?? value): void => {
    lines.push(`${key}:»»»${body}«««`);
  };
  if (block.requestId !== undefined) put("request_id", block.requestId);
  if (block.comment !== undefined) put("comment", block.comment);
  for (const [name, value] of Object.entries(block.common ?? {}))
    put(`common_${name}`, value, plainBody(value, commonRaw?.[name]));
  for (const step of steps) {
    const suffix = bare ? "" : `_${step.index}`;
    put(`command${suffix}`, step.tool);
    if (step.onError !== "stop") put(`on_error${suffix}`, step.onError);
    if (step.retry !== 0) put(`retry${suffix}`, String(step.retry));
    const early = new Map<string, string>(Object.entries(step.typeHints));
    const late: string[] = [];
    const bodies = Object.entries(step.params).map(([name, value]) => {
      const body = plainBody(value, step.raw[name]);
      const isText = textual(step.typeHints[name]);
      if (isText && body === undefined) early.set(name, "json");
      // Under a hint that stands before it, a JSON string is the text that it holds.
      else if (early.get(name) === "json" && readJsonString(value) !== undefined) late.push(name);
      return [name, body ?? (isText ? delimitedJson(value) : value)] as const;
    });
    for (const [name, hint] of early) if (!late.includes(name)) put(`type_hint_${name}${suffix}`, hint);
    for (const [name, uri] of Object.entries(step.uris)) put(`uri_${name}${suffix}`, uri);
    for (const [name, body] of bodies) put(name + suffix, body, body);
    for (const name of late) put(`type_hint_${name}${suffix}`, "json");
  }
  return ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>", ""].join("\n");
}

/** Whether the only step can be written without its number. */
function isBare([step, second]: readonly TamStep[]): boolean {
  return step?.index === 1 && !second && !("comment" in step.params || "request_id" in step.params);
}

const textual = (hint: TamTypeHint | undefined): boolean => hint === undefined || hint === "text";

/** Returns JSON in which nothing is taken for a delimiter. */
export const delimitedJson = (value: unknown): string => exactJsonText(value, /[«»《》<>]/g);

/**
 * Returns what stands between the delimiters of a plain value: as it was written where that means the same, else the value, on lines
 * of its own if it needs them. Undefined where nothing reads back as that value, and without a finding.
 */
export function plainBody(value: string, raw?: string): string | undefined {
  const laid = `\n${value}\n`;
  return [...(raw === undefined ? [] : [raw]), ...(value.includes("\n") ? [] : [value]), laid].find((body) =>
    isReadAs(body, value),
  );
}

/** Whether a body is read as a value. Without marks of delimiters in it, that is plain to see; else the parser is asked. */
function isReadAs(body: string, value: string): boolean {
  if (readValue(body, 0) !== value || hasInvisibleEdge(body) || isDressedLine(value) || foreignCloser(body, "tam"))
    return false;
  if (!/[«»《》]|[<>]{2}|^[<>]|[<>]$|_tool/i.test(body)) return true;
  const text = `<|[REQUEST_TOOL]|>\ncommand:»»»x«««\na:»»»${body}«««\nb:»»»z«««\n<|[END_TOOL]|>\n`;
  const { blocks, diagnostics } = parse(text, { maxInputLength: text.length });
  const { a, b } = blocks[0]?.steps[0]?.params ?? {};
  return a === value && b === "z" && blocks.length === 1 && diagnostics.length === 0;
}

/** Returns every value of a block by what it is; comments in order. */
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
    // Text is what a value is without a hint.
    add(`${step}type_hint_`, Object.fromEntries(Object.entries(typeHints).filter(([, hint]) => !textual(hint))));
    add(`${step}uri_`, uris);
    add(`${step}parameter `, params);
  }
  return content;
}
