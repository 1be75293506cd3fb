import { keyedBody } from "./bodies.ts";
import { headerName, proseHeaderAt } from "./engines/harmony.ts";
import { callAsJson } from "./engines/json-body.ts";
import { looseBody } from "./engines/loose-json.ts";
import { pythonBody } from "./engines/python.ts";
import { runHeader } from "./engines/run-header.ts";
import { treesBody } from "./engines/tag-tree.ts";
import { typeMarkAt } from "./engines/type-mark.ts";
import { attributeName } from "./names/attribute.ts";
import { keyOrTextName } from "./names/key.ts";
import { textName } from "./names/text.ts";
import type { DialectBook } from "./readers.ts";
import { BareCalls } from "./scan/bare.ts";
import { bareForms } from "./scan/bare-forms.ts";
import { Detector } from "./scan/detector.ts";
import { isNextInList } from "./scan/next-in-list.ts";
import { ProseMarks } from "./scan/prose.ts";
import { variedAt } from "./scan/varied-marks.ts";
import { dialectAt, doubts, mixed, planFor, wholeReader } from "./several.ts";
import { checkDialect } from "./table/check-dialect.ts";
import { rows } from "./table/rows.ts";
import { gemmaLiterals } from "./values/gemma.ts";
import { pythonLiterals } from "./values/plain-quotes.ts";
import { jsonSyntax } from "./values/syntaxes.ts";

/** All dialects. */
export const allDialects: DialectBook = {
  rows,
  bodies: { json: looseBody, keyed: keyedBody, python: pythonBody, tags: treesBody },
  names: { key: keyOrTextName, text: textName, attribute: attributeName, header: headerName },
  look: variedAt,
  isNextInList,
  literals: (row) =>
    row.values === "gemma" ? gemmaLiterals(row) : row.values === "python" ? pythonLiterals(row) : jsonSyntax,
  asJson: callAsJson,
  runHeader,
  typeMarkAt,
  prose: ProseMarks,
  heads: [proseHeaderAt],
  bare: BareCalls,
  bareForms,
  planFor,
  mixed,
  doubts,
  dialectAt,
  detector: Detector,
  wholeReader,
  checkOwn: checkDialect,
};
