import { checkKeys } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { needsKey } from "../catalog-view.ts";

/** Options of {@link catalogLines}. */
export interface CatalogLinesOptions {
  /** Marks what needs a key with `key`, for models that give keys themselves. Default false: the client makes them. */
  keys?: boolean;
  /** Marks capabilities that wait for approval with `approval`. Default none: the catalog has no such mark. */
  approval?: (row: AliasRow) => boolean;
  /** Characters of the sentence. Default 160; 0 leaves it out. */
  sentence?: number;
}

/**
 * A catalog as a model reads it, one line per capability:
 *
 * ```text
 * 0 web_search(query, top_k?:int) R Web search over public internet
 * 1 send_email(to:email, subject, body) W !HIGH Send an email to a verified recipient
 * ```
 *
 * That is `idx name(args) flags first sentence`. `args`: names in the order of the template; `?` may be left out; the type
 * follows unless it is a string, and what is too long for a line is `any`. Flags: `R` reads, `W` writes, `!HIGH` and
 * `!CRITICAL` risk, `key` and `approval` as asked for. A fifth of the tokens of the same tools as JSON.
 *
 * @example
 * ```ts
 * const lines = catalogLines((await client.catalog()).rows);
 * ```
 */
export function catalogLines(rows: readonly AliasRow[], options: CatalogLinesOptions = {}): string[] {
  checkKeys("catalogLines", options, "keys:boolean approval:function sentence:number");
  return rows.map((row) => catalogLine(row, options));
}

function catalogLine(row: AliasRow, { keys = false, approval, sentence = 160 }: CatalogLinesOptions): string {
  const flags = [row.io_class === "READ" ? "R" : "W"];
  if (row.risk_tier === "HIGH" || row.risk_tier === "CRITICAL") flags.push(`!${row.risk_tier}`);
  if (keys && needsKey(row)) flags.push("key");
  if (approval?.(row)) flags.push("approval");
  const args = Object.entries(row.arg_template).map(([name, type]) => argument(name, type));
  const text = firstSentence(row.desc, sentence);
  return `${row.idx} ${oneLine(row.name)}(${args.join(", ")}) ${flags.join(" ")}${text === "" ? "" : ` ${text}`}`;
}

const maxType = 40;

function argument(name: string, template: unknown): string {
  const text = typeof template === "string" ? template.trim() : "any";
  const isOptional = text.endsWith("?");
  const type = isOptional ? text.slice(0, -1) : text;
  // A bracket or a comma would end the list for a reader of the line.
  const short = type.length > maxType || /[(),{}\n]/.test(type) ? "any" : type;
  return `${oneLine(name)}${isOptional ? "?" : ""}${short === "string" ? "" : `:${short}`}`;
}

function oneLine(text: string): string {
  return text.slice(0, 4000).replace(/\s+/g, " ").trim();
}

/** Up to the first full stop that ends a sentence, in either script. */
function firstSentence(description: string, length: number): string {
  if (length === 0) return "";
  const text = oneLine(description);
  const end = /[。！？]|[.!?](?= [^a-z]|$)/.exec(text);
  const sentence = end === null ? text : text.slice(0, end.index + (/[.]/.test(end[0]) ? 0 : 1));
  if (sentence.length <= length) return sentence;
  // Never through the middle of a character.
  return `${sentence.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
