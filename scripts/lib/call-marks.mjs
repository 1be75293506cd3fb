// What damaged arguments look like in each dialect, from the table: marks that close a call, what stands between two arguments, and tokens
// that are no value. `@toolglot/core/check-call` knows them by their shape, and its tests are held to this list.

/**
 * @typedef {{ text?: string, prefix?: string, suffix?: string, lead?: string, lookAlikes?: string[] }} Marker
 * @typedef {object} Row
 * @property {string} engine
 * @property {Marker[]} open
 * @property {Marker[]} [close]
 * @property {{ open?: Marker, close?: Marker, name: { until?: Marker[] } }} call
 * @property {Record<string, any>} arguments
 * @property {string} values
 * @property {string[]} stops
 * @property {[string, string][]} [stringDelimiters]
 *
 * @typedef {{ dialect: string, closers: string[], next: string[], tokens: string[] }} Marks
 */

/** A suffix as a checkpoint may have one. */
const suffix = "a9Z";

/** All spellings of a marker, without the white space around it. @param {Marker} [marker] @returns {string[]} */
function spellings(marker) {
  if (!marker) return [];
  const { text, prefix, suffix: end, lead, lookAlikes = [] } = marker;
  const own = text === undefined ? [`${prefix}${end}`, `${prefix}${lead}${suffix}${end}`] : [text];
  return [...own, ...lookAlikes].map((one) => one.trim());
}

/** Single marks of a text that is several. @param {string} text @returns {string[]} */
const parts = (text) =>
  text.match(/\]<\]\w+\[>\[(?:<\/?[^<>]*>)?|<\|(?:open|close)\|>\w+<\|sep\|>|<[^<>\s][^<>]*>|[^<\]]+/g) ?? [];

const isElement = (/** @type {string} */ mark) => /^(?:\]<\]\w+\[>\[)?<\/[^<>]+>$/.test(mark);
const isToken = (/** @type {string} */ mark) =>
  /^<(?:[|｜].*[|｜]|[\w/]+\||\|\w+|(?:start|end)_\w+)>$|^<\|close\|>\w+<\|sep\|>$/.test(mark);
const isCloser = (/** @type {string} */ mark) => isElement(mark) || (isToken(mark) && !/start|begin/.test(mark));

/** What stands between the text of one argument and the next one. @param {Row} row @returns {string[]} */
function between({ engine, arguments: args, values, stringDelimiters = [] }) {
  const [delimiters] = stringDelimiters;
  if (engine === "keyed" && delimiters) return [`${delimiters[1]},{K}:${delimiters[0]}`];
  if (args.open === undefined || args.key === undefined) {
    if (engine !== "python") return [values === "python" ? "', '{K}': '" : '", "{K}": "'];
    return ['", {K}="', "', {K}='"];
  }
  if (args.key === "tag") {
    const sign = args.open.text.slice(0, -1);
    return [`${sign}</content>${sign}<{K}>`, `${sign} </content> ${sign} <{K}>`];
  }
  const lf = args.pad === "one-lf" ? "\n" : "";
  const closers = spellings(args.close);
  return spellings(args.open).map((open, at) => {
    const close = `${lf}${closers[at] ?? closers[0]}${/\n$/.test(args.close.text ?? args.close.suffix) ? "\n" : ""}`;
    if (args.key.attribute) {
      const { attribute, raw } = args.typeMark ?? {};
      const type = attribute === undefined ? "" : ` ${attribute}="${raw[0]}"`;
      return `${close}${open} ${args.key.attribute}="{K}"${type}${args.openEnd ?? ">"}`;
    }
    const [key = "", suffixed = key] = spellings(args.key);
    const ends = spellings(args.keyClose);
    const type = args.typeMark?.element;
    if (type) return `${close}${open}{K}${key.replace("\n", `<${type}>${args.typeMark.raw[0]}</${type}>`)}`;
    return `${close}${open}{K}${ends[at] ?? ""}${at === 1 && ends.length > 1 ? suffixed : key}${lf}`;
  });
}

/** Returns the marks of a table. @param {Record<string, Row>} table @returns {Marks[]} */
export function callMarks(table) {
  return Object.entries(table).map(([dialect, row]) => {
    const { open, close = [], call, arguments: args, stops, stringDelimiters = [] } = row;
    const closing = [...close, call.close, ...(args.key === "tag" ? [] : [args.close]), args.keyClose];
    const closers = [...closing.flatMap((marker) => spellings(marker).flatMap(parts)), ...stops.flatMap(parts)];
    const opening = [...open, call.open, ...(call.name.until ?? [])];
    const quotes = stringDelimiters.map(([begin]) => begin);
    const tokens = opening.flatMap((marker) => spellings(marker).flatMap(parts)).filter(isToken);
    return {
      dialect,
      closers: [...new Set([...closers.map((mark) => mark.trim()).filter(isCloser), ...quotes])],
      next: [...new Set(between(row))],
      tokens: [...new Set([...tokens, ...stringDelimiters.map(([begin, end]) => `${begin}SF${end}`)])],
    };
  });
}
