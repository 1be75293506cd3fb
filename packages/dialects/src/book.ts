import { readJsonCall, readKeyed } from "./bodies.ts";
import { proseHeaderAt } from "./engines/harmony.ts";
import { readPython } from "./engines/python.ts";
import { readTags } from "./engines/tags.ts";
import type { DialectBook } from "./readers.ts";
import { TemplateText } from "./scan/template-text.ts";
import { dialects } from "./table/all.ts";
import { checkDialect } from "./table/check-dialect.ts";

/** All dialects. */
export const allDialects: DialectBook = {
  rows: /* @__PURE__ */ Object.values(dialects),
  bodies: { json: readJsonCall, keyed: readKeyed, python: readPython, tags: readTags },
  heads: [proseHeaderAt],
  templateText: TemplateText,
  checkOwn: checkDialect,
};
