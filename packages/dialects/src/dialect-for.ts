import { asPattern, checkKeys } from "@toolglot/internal";
import type { ResponseTemplate } from "./response-template/types.ts";
import { dialects } from "./table/all.ts";
import { type DialectId, dialectIds } from "./table/ids.ts";
import type { Dialect, Marker, VariableMarker } from "./table/types.ts";

/** What is known of a model. */
export interface ModelFacts {
  /** Its name, with or without a provider's path, a tag and a quantisation: `unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M`. */
  model?: string;
  /** The `chat_template` of its tokenizer, as text. Only its markers are looked at. */
  chatTemplate?: string;
  /** The `response_template` of its tokenizer. Only its markers are looked at. */
  responseTemplate?: string | ResponseTemplate | Readonly<Record<string, unknown>>;
}

/**
 * Returns the dialect that a model writes its calls in: by the markers of its templates, else by its name; undefined when neither tells.
 *
 * @throws `TypeError` for unknown options, and for values of a wrong kind.
 *
 * @example
 * ```ts
 * const dialect = dialectFor({ model: "Qwen/Qwen3-Coder-480B-A35B-Instruct" }); // "qwen-xml"
 * ```
 */
export function dialectFor(facts: ModelFacts): DialectId | undefined {
  checkKeys("dialectFor", facts, "model:string chatTemplate:string responseTemplate:string|object");
  const { model, chatTemplate = "", responseTemplate = "" } = facts;
  const response = typeof responseTemplate === "string" ? responseTemplate : JSON.stringify(responseTemplate);
  return byMarkers(response) ?? byMarkers(chatTemplate) ?? (model === undefined ? undefined : byName(model));
}

/**
 * The dialect with most of its own tokens in a text; of those with as many, the one whose markers stand there as it writes them, with their
 * line breaks, then the one that misses fewest, then the first of the table.
 */
function byMarkers(template: string): DialectId | undefined {
  const text = plainTemplate(template);
  let best: { id: DialectId; score: readonly number[] } | undefined;
  for (const id of dialectIds) {
    const { tokens, wholes } = marksOf(dialects[id]);
    const count = (marks: readonly string[]): number => marks.filter((mark) => text.includes(mark)).length;
    const found = count(tokens);
    const missed = tokens.length - found;
    if (found === 0 || found < missed) continue;
    const score = [found, count(wholes), -missed];
    if (!best || isMore(score, best.score)) best = { id, score };
  }
  return best?.id;
}

function isMore(score: readonly number[], than: readonly number[]): boolean {
  const at = score.findIndex((part, index) => part !== than[index]);
  return at >= 0 && (score[at] as number) > (than[at] as number);
}

/** Returns a template with its escapes resolved, those of JSON too, and its constants in their places. */
function plainTemplate(template: string): string {
  const text = template
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n")
    .replaceAll("\\u003c", "<")
    .replaceAll("\\u003e", ">");
  const constants = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/\bset (\w{1,40}) = ["']([^"'\n]{1,64})["']/g))
    constants.set(name as string, value as string);
  return text.replace(/\{\{-? ?(\w{1,40}) ?-?\}\}/g, (whole, name: string) => constants.get(name) ?? whole);
}

/** Returns the tokens and tags that a dialect writes, each once (`<tool_call>`, `<parameter=`, `[ARGS]`), and markers of more than one. */
function marksOf({ open, close = [], call, arguments: args }: Dialect): { tokens: string[]; wholes: string[] } {
  const until = call.name.at === "text" ? call.name.until : [];
  const key = typeof args.key === "object" && !("attribute" in args.key) ? args.key : undefined;
  const markers = [...open, ...close, call.open, call.close, ...until, args.open, args.keyClose, key, args.close];
  const texts = [...new Set(markers.flatMap((marker) => (marker ? [textOf(marker)] : [])))];
  const [first = ""] = texts;
  const tokens = new Set<string>();
  const wholes = texts.filter((text) => {
    const found = text.match(/\]<\]minimax\[>\[|<[^<>\s]{2,}>?|\[[A-Z_]+\]|```\w+|\w{5,}$/g) ?? [];
    for (const token of found) tokens.add(token);
    return found.length > 0 && found[0] !== text;
  });
  if (call.name.at === "key") wholes.push(`${first}{"`);
  return { tokens: [...tokens], wholes };
}

function textOf(marker: Marker | VariableMarker): string {
  return "text" in marker ? marker.text : marker.prefix;
}

/** A pattern of the table, ready to be compared. */
interface NamePattern {
  id: DialectId;
  length: number;
  shape: RegExp;
}

let patterns: NamePattern[] | undefined;

/** The longest pattern that fits the name, from the first of its words at which one fits. */
function byName(model: string): DialectId | undefined {
  patterns ??= dialectIds.flatMap((id) =>
    dialects[id].models.map((pattern) => ({ id, length: pattern.length, shape: shapeOf(pattern) })),
  );
  const whole = pointed(model.slice(0, 300).replace(/[:@].*$/s, ""));
  const words = whole.slice(whole.lastIndexOf("/") + 1).split(/[-_ ]+/);
  while (quantisation.test(words.at(-1) ?? "")) words.pop();
  for (let first = 0; first < words.length; first++) {
    const name = plain(words.slice(first).join("-"));
    const [best] = patterns.filter(({ shape }) => shape.test(name)).sort((a, b) => b.length - a.length);
    if (best) return best.id;
  }
  return undefined;
}

/** A version ends where the digits of its number do: `Qwen3*` is not `Qwen-32B`. */
function shapeOf(pattern: string): RegExp {
  const parts = plain(pattern).split("*").map(asPattern);
  return new RegExp(`^${parts.join(".*").replace(/(\d)\.\*$/, "$1(?!\\d).*")}$`);
}

/** Some hosts write another sign for the point of a version. */
function pointed(name: string): string {
  return name.replace(/(\d)[p_](\d)/gi, "$1.$2");
}

/** Publishers and hosts write the same name with and without dashes; one between two numbers stays. */
function plain(name: string): string {
  return name.toLowerCase().replace(/(?<!\d)[-_ ]+|[-_ ]+(?!\d)/g, "");
}

/** Words that say how a model is packed, not which it is. */
const quantisation =
  /^(?:mlx|gguf|awq|gptq|exl\d|fp\d+|bf16|nvfp\d|mxfp\d|int\d|\d+bit|dwq|i?q\d|[klmsx]{1,3}|w\dag?\d+|instruct|base|chat|hf)$/i;
