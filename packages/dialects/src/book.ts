import { readJsonCall, readKeyed } from "./bodies.ts";
import { proseHeaderAt } from "./engines/harmony.ts";
import { readPython } from "./engines/python.ts";
import { readTagTrees } from "./engines/tag-tree.ts";
import type { DialectBook } from "./readers.ts";
import { BareCalls } from "./scan/bare.ts";
import { TemplateText } from "./scan/template-text.ts";
import { checkDialect } from "./table/check-dialect.ts";
import { rows } from "./table/rows.ts";

/** All dialects. */
export const allDialects: DialectBook = {
  rows,
  bodies: { json: readJsonCall, keyed: readKeyed, python: readPython, tags: readTagTrees },
  heads: [proseHeaderAt],
  bare: BareCalls,
  templateText: TemplateText,
  checkOwn: checkDialect,
};
