import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { attempt } from "@toolglot/internal";
import { expandBraces } from "../files/glob.ts";
import { parseIgnoreLine, verdict } from "../files/ignore-rules.ts";
import { readFlags } from "../files/pinned-folder.ts";
import { isInside } from "../files/roots.ts";
import { type Encoding, encodingNamed } from "./encodings.ts";

/** A section of an `.editorconfig`: which files, and their `charset`. */
interface Section {
  fits(below: readonly string[]): boolean;
  charset: string;
}

interface EditorConfig {
  /** Those in folders above it don't count. */
  isRoot: boolean;
  sections: readonly Section[];
}

/** Larger files and longer lines are ignored. */
const maxBytes = 64 * 1024;
const maxLine = 1000;
/** More alternatives than this in a header say nothing. */
const maxAlternatives = 100;
/** Folders that are remembered. */
const maxKept = 1000;

/** The `.editorconfig` files of some roots. Each is read again when it has changed. */
export class EditorConfigs {
  readonly #roots: readonly string[];
  readonly #kept = new Map<string, { stamp: string; config: EditorConfig | undefined }>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Returns the encoding that the nearest of them in the roots declares for a file, by its real path; undefined for none that is known. */
  declared(path: string): Encoding | undefined {
    const root = this.#roots.filter((one) => isInside(one, path)).sort((a, b) => a.length - b.length)[0];
    if (root === undefined) return undefined;
    for (let folder = dirname(path); isInside(root, folder); folder = dirname(folder)) {
      const config = this.#configOf(folder);
      const below = relative(folder, path).split(sep);
      const declared = config?.sections.findLast(({ fits }) => fits(below))?.charset;
      // `unset` takes back what others say.
      if (declared !== undefined) return encodingNamed(declared);
      if (config?.isRoot === true || folder === dirname(folder)) return undefined;
    }
    return undefined;
  }

  #configOf(folder: string): EditorConfig | undefined {
    const fd = attempt(() => openSync(join(folder, ".editorconfig"), readFlags));
    if (fd === undefined) return undefined;
    try {
      const stats = fstatSync(fd);
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
      const known = this.#kept.get(folder);
      if (known?.stamp === stamp) return known.config;
      const isText = stats.isFile() && stats.size <= maxBytes;
      const text = isText ? attempt(() => readFileSync(fd, "utf8")) : undefined;
      const config = text === undefined ? undefined : parseEditorConfig(text);
      if (this.#kept.size >= maxKept) this.#kept.clear();
      this.#kept.set(folder, { stamp, config });
      return config;
    } finally {
      closeSync(fd);
    }
  }
}

/** Reads the part of an `.editorconfig` that matters here. A section that can't be read is ignored. */
function parseEditorConfig(text: string): EditorConfig {
  let isRoot = false;
  const sections: Section[] = [];
  let header: string | undefined;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/)) {
    const said = line.trim();
    if (said === "" || said.length > maxLine || said.startsWith("#") || said.startsWith(";")) continue;
    if (said.startsWith("[") && said.endsWith("]")) {
      header = said.slice(1, -1);
      continue;
    }
    const at = said.search(/[=:]/);
    const key = said.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = said
      .slice(at + 1)
      .split(/\s[#;]/, 1)
      .join("")
      .trim();
    if (header === undefined && key === "root") isRoot = value.toLowerCase() === "true";
    if (header !== undefined && key === "charset") sections.push({ fits: sectionTest(header), charset: value });
  }
  return { isRoot, sections };
}

/** Parses a header: a pattern as in .gitignore, with braces and without `!`. */
function sectionTest(header: string): Section["fits"] {
  const rules = (expandBraces(header, maxAlternatives) ?? [])
    .map((pattern) => parseIgnoreLine(/^[!#]/.test(pattern) ? `\\${pattern}` : pattern))
    .filter((rule) => rule !== undefined);
  return (below) => verdict(rules, below, false) === true;
}
