import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
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

/** The default place of the scratch data: the user's data folder, or the temporary one. */
export function defaultDataFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  const wanted = join(base, "toolglot-demo");
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    accessSync(wanted, constants.W_OK);
    return wanted;
  } catch {
    return join(tmpdir(), `toolglot-demo-${userInfo().uid}`);
  }
}
