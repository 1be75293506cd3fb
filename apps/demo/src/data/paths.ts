import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the demo's own sources: documents, schema and tables, as they are committed. */
export function sourceFolder(): string {
  // From src/data/ in tests, from dist/ when built: the nearest folder above that has a package.json.
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("The demo's data folder is missing: run it from its repository.");
    folder = above;
  }
  return join(folder, "data");
}
