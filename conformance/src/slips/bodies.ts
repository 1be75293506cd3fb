import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a call carries: a file or a script, as models write them. */
export interface SlipBody {
  name: string;
  /** What it is made of: `code`, `shell`, `html`, or the format whose markers it holds. */
  kind: string;
  path: string;
  /** Without a line break at its end. */
  text: string;
}

/** Reads `slips/bodies.txt` of the folder `conformance`: each body begins at a line `=== name kind path`. */
export function readBodies(conformance: string): SlipBody[] {
  return readFileSync(join(conformance, "slips/bodies.txt"), "utf8")
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const lineBreak = part.indexOf("\n");
      const [name = "", kind = "", path = ""] = part.slice(0, lineBreak).split(" ");
      return { name, kind, path, text: part.slice(lineBreak + 1).replace(/\n$/, "") };
    });
}
