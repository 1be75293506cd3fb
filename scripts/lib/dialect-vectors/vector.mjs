// What a vector of the dialects is, and short ways to write one.

/**
 * @typedef {import("./writing.mjs").Row} Row
 * @typedef {import("./writing.mjs").Input} Input
 * @typedef {{ name: string; input: Input; id?: string; status?: "complete" | "recovered" }} ExpectedCall
 * @typedef {{
 *   name: string; dialect: string; input: string; tools?: unknown[] | null; options?: object; end?: object; calls: ExpectedCall[]; held?: ExpectedCall[];
 *   rejected?: { status: "truncated" | "invalid"; name?: string }[]; text?: string; reasoning?: string; diagnostics?: string[];
 *   blocks?: { dialect: string; status: string }[]
 * }} Vector
 * @typedef {{ file: string; rule: string; about: string; vectors: Vector[] }} VectorFile
 */

/** The tools of all vectors that have none of their own. */
export const tools = [
  {
    name: "get_weather",
    description: "Weather of a city.",
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "integer" },
        n: { type: "number" },
        ok: { type: "boolean" },
        l: { type: "array" },
        o: { type: "object" },
        u: { type: ["string", "null"] },
        any: {},
      },
    },
  },
  { name: "ping", description: "Says that it is there.", inputSchema: { type: "object", properties: {} } },
];

/** Codes of a vector, in the order of their letters. @param {string[]} codes */
export const codes = (...codes) => codes.map((code) => (code.includes("/") ? code : `dialects/${code}`)).sort();

/** @param {Input} input @returns {ExpectedCall} */
export const weather = (input) => ({ name: "get_weather", input });
/** @type {ExpectedCall} */
export const ping = { name: "ping", input: {} };

/** Makes the vectors of each row that fits. @param {Record<string, Row>} rows @param {(row: Row, id: string) => boolean} fits @param {(row: Row, id: string) => Vector[]} make */
export const forEachRow = (rows, fits, make) =>
  Object.entries(rows).flatMap(([id, row]) => (fits(row, id) ? make(row, id) : []));
