// Writes calls from the rows of the dialects' table, piece by piece, so that a vector can damage any of them. It shares no code with
// the package: what it writes is a second reading of the table.

/**
 * @typedef {{ text: string; special?: true; optional?: true; unwritten?: true }} Marker
 * @typedef {{ prefix: string; suffix: string; special?: true; optional?: true; unwritten?: true }} VariableMarker
 * @typedef {Marker | VariableMarker} AnyMarker
 * @typedef {Record<string, unknown>} Input
 * @typedef {{ name: string; input: Input; id?: string }} Call
 * @typedef {{ at: "key"; keys: string[] } | { at: "only-key" } | { at: "attribute"; attribute: string } | { at: "text"; until: AnyMarker[] }} NameRule
 * @typedef {{
 *   engine: "json" | "tags" | "python" | "keyed" | "messages"; open: AnyMarker[]; close?: AnyMarker[]; header?: string; separator?: string;
 *   list?: true; wrapsEach?: true; example: { text: string; calls: Call[] }; values: string; stringDelimiters?: [string, string][];
 *   call: { open?: AnyMarker; name: NameRule; close?: AnyMarker; openEnd?: string; nameKey?: string; index?: { attribute: string; from: number };
 *     id?: { key?: string; attribute?: string; behind?: string; counted?: true }; idPattern?: string; prefix?: string };
 *   arguments: { keys?: string[]; open?: AnyMarker; keyClose?: AnyMarker; key?: AnyMarker | "tag" | { attribute: string }; close?: AnyMarker;
 *     openEnd?: string; pad?: string; typeMark?: { attribute?: string; element?: string; raw: string[] };
 *     otherMark?: string | Record<string, string>; cdata?: true };
 *   singleQuotes?: true; plainSingleQuotes?: true; compact?: true; entities?: true; reasoning: { open: string; close: string; channel?: boolean }[];
 *   stops: string[]; suffix: "text" | "none"; write: boolean; bare?: "known-names"
 * }} Row
 */

/** @param {AnyMarker | undefined} marker */
export const textOf = (marker) => (!marker ? "" : "text" in marker ? marker.text : marker.prefix + marker.suffix);
/** @param {AnyMarker[] | undefined} markers */
const written = (markers) => markers?.find((marker) => !marker.unwritten);

/** Which form the arguments have. @param {Row} row @returns {"json" | "tags" | "python" | "keyed"} */
export const formOf = ({ engine, arguments: args }) => (engine !== "messages" ? engine : args.open ? "tags" : "json");

/** Whether the call is one JSON object, with its name in it. @param {Row} row */
export const isWholeObject = ({ call }) => call.name.at === "key" || call.name.at === "only-key";

/** @param {unknown} value @param {boolean} [compact] @returns {string} */
export function json(value, compact = false) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [comma, colon] = compact ? [",", ":"] : [", ", ": "];
  if (Array.isArray(value)) return `[${value.map((one) => json(one, compact)).join(comma)}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => JSON.stringify(key) + colon + json(one, compact))
    .join(comma)}}`;
}

/** @param {unknown} value @param {Row} row @returns {string} */
function python(value, row) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    if (row.plainSingleQuotes) return `'${value}'`;
    const quoted = JSON.stringify(value);
    return row.singleQuotes ? `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : quoted;
  }
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => python(one, row)).join(", ")}]`;
  if (row.plainSingleQuotes) return json(value);
  const members = Object.entries(value).map(([key, one]) => `${python(key, row)}: ${python(one, row)}`);
  return `{${members.join(", ")}}`;
}

/** @param {unknown} value @param {Row} row @returns {string} */
function gemma(value, row) {
  const [open, close] = row.stringDelimiters?.[0] ?? ["", ""];
  if (typeof value === "string") return open + value + close;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => gemma(one, row)).join(",")}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
  return `{${members.map(([key, one]) => `${key}:${gemma(one, row)}`).join(",")}}`;
}

/** A value as the arguments of a dialect hold it; between tags: a string as it is. @param {unknown} value @param {Row} row */
function valueText(value, row) {
  if (row.values === "gemma") return gemma(value, row);
  if (row.values === "python") return python(value, row);
  return formOf(row) === "tags" && typeof value === "string" ? value : json(value, row.compact);
}

/** @param {unknown} value */
const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** An argument between tags. `type` is what its type mark says. @param {Row} row @param {string} key @param {string} text @param {string} [type] */
export function argument(row, key, text, type) {
  const { open, key: rule, keyClose, close, openEnd = ">", typeMark, pad } = row.arguments;
  const value = pad === "one-lf" ? `\n${text}\n` : text;
  const mark = type === undefined || !typeMark ? "" : ` ${typeMark.attribute}="${type}"`;
  if (rule === "tag") return `${textOf(open)}${key}>${value}${textOf(close)}${key}>`;
  if (typeof rule === "object" && "attribute" in rule)
    return `${textOf(open)} ${rule.attribute}="${key}"${mark}${openEnd}${value}${textOf(close)}`;
  return textOf(open) + key + textOf(keyClose) + textOf(rule) + value + textOf(close);
}

/** What the type mark says of a value, where there is one. @param {Row} row @param {unknown} value */
export function typeMarkOf({ arguments: { typeMark, otherMark = "false" } }, value) {
  if (!typeMark?.attribute) return undefined;
  if (typeof value === "string") return typeMark.raw[0];
  return typeof otherMark === "string" ? otherMark : otherMark[typeOf(value)];
}

/** @param {Row} row @param {Input} input @returns {string} */
const argumentsText = (row, input) =>
  Object.entries(input)
    .map(([key, value]) => argument(row, key, valueText(value, row), typeMarkOf(row, value)))
    .join("");

/** What stands before the arguments of a call. @param {Row} row @param {string} name @param {number} [index] @param {string} [id] */
export function head(row, name, index = 0, id) {
  const { call } = row;
  const open = textOf(call.open);
  if (call.name.at === "attribute") {
    const { attribute } = call.name;
    const counted = call.id?.attribute ? ` ${call.id.attribute}="${id ?? index}"` : "";
    const number = call.index ? ` ${call.index.attribute}="${index + call.index.from}"` : "";
    return `${open}${counted} ${attribute}="${name}"${number}${call.openEnd ?? ">"}`;
  }
  if (call.name.at !== "text") return "";
  const behind = call.idPattern ? `:${index}` : call.id?.behind && id ? call.id.behind + id : "";
  return open + (call.prefix ?? "") + name + behind + textOf(call.name.until[0]);
}

/** The arguments of a call, or the object that it is. @param {Row} row @param {Call} call @param {number} [index] */
export function body(row, { name, input, id }, index = 0) {
  const { call, arguments: args } = row;
  const form = formOf(row);
  if (form === "tags") return argumentsText(row, input);
  if (form === "keyed") return gemma(input, row).slice(1, -1);
  if (form === "python")
    return Object.entries(input)
      .map(([key, value]) => `${key}=${python(value, row)}`)
      .join(", ");
  const inner = args.keys ? { [args.keys[0] ?? ""]: input } : input;
  if (call.name.at === "only-key") return json({ [name]: input });
  if (call.name.at !== "key") return json(call.nameKey ? { [call.nameKey]: name, ...inner } : inner, row.compact);
  const named = { [call.name.keys[0] ?? ""]: name, ...inner };
  const key = call.id?.key;
  const own = key && (call.id?.counted || id) ? { [key]: id ?? String(index) } : {};
  const whole = call.id?.counted ? { ...own, ...named } : { ...named, ...own };
  return row.values === "python" ? python(whole, row) : json(whole, row.compact);
}

/** Pieces of a run: the wrapper's, and what stands between two calls. @param {Row} row */
export function wrapper(row) {
  return {
    open: textOf(written(row.open)) + (row.list ? "[" : ""),
    close: (row.list ? "]" : "") + textOf(written(row.close)),
    between: row.separator ?? (row.list ? ", " : ""),
  };
}

/** Calls that are texts already, in their wrappers. @param {Row} row @param {string[]} texts @param {string[]} [names] */
export function run(row, texts, names = []) {
  const { open, close, between } = wrapper(row);
  const header = (/** @type {number} */ index) => (row.header ?? "").replace("{name}", names[index] ?? "get_weather");
  if (row.wrapsEach) return texts.map((text, index) => header(index) + open + text + close).join(between);
  return header(0) + open + texts.join(between) + close;
}

/** A call without its wrapper, with a body that is at hand. @param {Row} row @param {string} name @param {string} text @param {number} [index] @param {string} [id] */
export const callText = (row, name, text, index = 0, id) => head(row, name, index, id) + text + textOf(row.call.close);

/** Whole calls. @param {Row} row @param {Call[]} calls */
export function write(row, calls) {
  const texts = calls.map((call, index) => callText(row, call.name, body(row, call, index), index, call.id));
  return run(
    row,
    texts,
    calls.map(({ name }) => name),
  );
}
