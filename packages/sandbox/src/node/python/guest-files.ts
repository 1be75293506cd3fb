import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What runs in the child, as seen from `src/node/python`, and from `dist`, where everything is one file. */
const places = ["../guest/python/", "../../../guest/python/"];

/** The child's script, and those that it imports. */
const scriptNames = [
  ..."child.node.mjs files.node.mjs freeze.node.mjs harden.node.mjs image.node.mjs".split(" "),
  ..."snapshot.node.mjs state.node.mjs still.node.mjs tune.node.mjs ../pages.node.mjs ../javascript/harden.mjs".split(
    " ",
  ),
];

/** The files of the guest's side. */
export interface GuestFiles {
  /** The child's script. */
  script: string;
  /** It, and those that it imports. */
  scripts: readonly string[];
  /** Python sources, and the list of libraries, by file name. */
  sources: Readonly<Record<string, string>>;
  /** Those that the ATTP specification names, those that a program finds besides, and those of the style "notebook". */
  libraries: { specification: readonly string[]; standard: readonly string[]; notebook: readonly string[] };
  /** Changes with every change of any of them. */
  hash: string;
}

let files: GuestFiles | undefined;

/** Read once; they do not change while a process runs. */
export function guestFiles(): GuestFiles {
  if (files) return files;
  const folder = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url)) as URL;
  const [script = "", ...imported] = scriptNames.map((name) => realpathSync(fileURLToPath(new URL(name, folder))));
  const scripts = [script, ...imported];
  const python = fileURLToPath(new URL("toolglot_guest/", folder));
  const lists = readFileSync(new URL("libraries.json", folder), "utf8");
  const sources: Record<string, string> = { "libraries.json": lists };
  for (const name of readdirSync(python).sort()) {
    if (name.endsWith(".py")) sources[name] = readFileSync(join(python, name), "utf8");
  }
  const hash = createHash("sha256")
    .update(JSON.stringify([scripts.map((path) => readFileSync(path, "utf8")), sources]))
    .digest("hex");
  files = { script, scripts, sources, hash, libraries: JSON.parse(lists) as GuestFiles["libraries"] };
  return files;
}
