// Written by scripts/dialects.mjs from dialects.json: change that, and run it.
// biome-ignore-all format: written by a script.
// biome-ignore-all assist/source/organizeImports: written by a script.
/** The calls of `deepseek-v3` alone. */
import type { OneBook, OneDialect } from "../only.ts";
import * as only from "../only.ts";
import { deepseekV3, deepseekV3Dialect } from "../table/rows/deepseek-v3.ts";
import type { Dialect } from "../table/types.ts";
import { jsonBody } from "../bodies.ts";
import { textName } from "../names/text.ts";
import { variedAt } from "../scan/varied-marks.ts";
import { writeUntagged } from "../write/serialize.ts";

export type * from "../public-types.ts";

const book: OneBook = { rows: [deepseekV3], fixed: "deepseek-v3", bodies: { json: jsonBody }, names: { text: textName }, look: variedAt };

/** Its row of the table. */
export const dialect: Dialect = deepseekV3Dialect;
/** As in the package's entry, for this dialect alone. */
export const parse: OneDialect["parse"] = /* @__PURE__ */ only.parseOf(book);
/** As in the package's entry, for this dialect alone. */
export const createParser: OneDialect["createParser"] = /* @__PURE__ */ only.createParserOf(book);
/** As in the package's entry, for this dialect alone. */
export const parseStream: OneDialect["parseStream"] = /* @__PURE__ */ only.parseStreamOf(book);
/** As in the package's entry, for this dialect alone. */
export const DialectParserStream: OneDialect["DialectParserStream"] = /* @__PURE__ */ only.streamClassOf(book);
/** As in the package's entry, for this dialect alone. */
export const recoverToolCalls: OneDialect["recoverToolCalls"] = /* @__PURE__ */ only.recoverOf(book);
/** As in the package's entry, for this dialect alone. */
export const serialize: OneDialect["serialize"] = /* @__PURE__ */ only.serializeOf(book, writeUntagged);
/** As in the package's entry, for this dialect alone. */
export const formatResults: OneDialect["formatResults"] = /* @__PURE__ */ only.formatResultsOf(book);
/** As in the package's entry, for this dialect alone. */
export const explain: OneDialect["explain"] = /* @__PURE__ */ only.explainOf(book, writeUntagged);
/** As in the package's entry, for this dialect alone. */
export const dialectProtocol: OneDialect["dialectProtocol"] = /* @__PURE__ */ only.protocolFor(book, writeUntagged);
