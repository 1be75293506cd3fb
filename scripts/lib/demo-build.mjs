// What the demo is built from, and whether that is built. Without a dependency: `npm run demo` asks before anything is installed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, workspaceMembers } from "./workspace.mjs";

/** From what each package was built: its digest, by folder. */
export const stamp = join(root, "node_modules/.toolglot-demo-built");

/** The command line, the demo, and the packages that they are made of. */
function parts() {
  const members = workspaceMembers();
  /** @param {import("./workspace.mjs").Member} member @returns {import("./workspace.mjs").Member[]} */
  const closure = (member) => [
    ...Object.keys(member.manifest.dependencies ?? {}).flatMap((name) =>
      members.filter(({ manifest }) => manifest.name === name).flatMap(closure),
    ),
    member,
  ];
  return [...new Set(members.filter(({ id }) => ["cli", "demo"].includes(id)).flatMap(closure))];
}

/**
 * The files that a package is built from, as one text that changes with them.
 * @param {string} path
 */
function digest(path) {
  const hash = createHash("sha256");
  const files = ["src", "guest"]
    .filter((folder) => existsSync(join(path, folder)))
    .flatMap((folder) =>
      readdirSync(join(path, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    );
  for (const file of [...files.sort(), "package.json", "tsup.config.ts"]) {
    const found = statSync(join(path, file), { throwIfNoEntry: false });
    if (found?.isFile()) hash.update(`${file} ${found.size} ${found.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** From what each part would be built now: its digest, by folder. @returns {Record<string, string>} */
export function digests() {
  const changed = ["tsup.base.ts", "bundled-script.ts"].map((file) => statSync(join(root, file)).mtimeMs);
  const common = `${digest(join(root, "packages/internal"))} ${changed.join(" ")}`;
  return Object.fromEntries(parts().map(({ folder, path }) => [folder, `${common} ${digest(path)}`]));
}

/** The folders of what is not built, or from other sources. */
export function unbuilt() {
  /** @type {Record<string, string>} */
  const before = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")) : {};
  const now = digests();
  return Object.keys(now).filter((folder) => now[folder] !== before[folder] || !existsSync(join(root, folder, "dist")));
}

/** Notes from what all of it was built. @param {Record<string, string>} made */
export function noteBuilt(made) {
  writeFileSync(stamp, JSON.stringify(made));
}
