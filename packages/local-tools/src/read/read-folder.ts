import { join } from "node:path";
import { attempt } from "@toolglot/internal";
import { localErrorType } from "../errors.ts";
import { type IgnoreLevel, ignoreLevels, isIgnored } from "../files/ignore-files.ts";
import type { FolderEntry, PinnedFolder, Place, Roots } from "../files/roots.ts";
import { counted, inMessage, needsQuotes, quoted, several } from "../messages.ts";
import type { ReadPart } from "./types.ts";

const maxEntries = 1000;
const atATime = 50;

/**
 * Lists a folder: directories first, each with a `/`, then the rest, by name; files with their size; links with where they
 * lead, if that may be seen; `[ignored]` after what .gitignore and its like leave out of searches. A name that would break the
 * line, or looks as another, is a JSON string.
 */
export async function readFolder(roots: Roots, place: Place, of: string, maxChars: number): Promise<ReadPart> {
  const levels = attempt(() => ignoreLevels(roots.paths, place.path));
  using folder = roots.hold(place.path, of);
  const entries = (await folder.entries()).sort(byKindAndName);
  const lines: string[] = [];
  let room = maxChars;
  for (let start = 0; start < Math.min(entries.length, maxEntries) && room > 0; start += atATime) {
    const some = entries.slice(start, Math.min(start + atATime, maxEntries));
    for (const line of await Promise.all(some.map((entry) => entryLine(roots, folder, levels, entry)))) {
      room -= line.length + 1;
      if (room < 0) break;
      lines.push(line);
    }
  }
  const left = entries.length - lines.length;
  const all = several(entries.length, "entry", "entries");
  const extent = entries.length === 0 ? "empty directory" : `directory, ${all}`;
  return {
    kind: "directory",
    of,
    head: `${inMessage(of)}: ${extent}${left > 0 ? `; the first ${counted(lines.length)} by name, ${counted(left)} left out` : ""}`,
    text: lines.map((line) => `${line}\n`).join(""),
    cut: left > 0,
  };
}

function byKindAndName(a: FolderEntry, b: FolderEntry): number {
  const first = Number(b.kind === "directory") - Number(a.kind === "directory");
  return first !== 0 ? first : a.name < b.name ? -1 : 1;
}

async function entryLine(
  roots: Roots,
  folder: PinnedFolder,
  levels: IgnoreLevel | undefined,
  { name, kind }: FolderEntry,
): Promise<string> {
  const path = join(folder.path, name);
  const ignored = name !== ".git" && isIgnored(levels, path, kind === "directory") ? " [ignored]" : "";
  const called = shownName(name);
  if (kind === "directory") return `${called}/${ignored}`;
  if (kind === "link") return `${called} -> ${await leadsTo(roots, path)}${ignored}`;
  if (kind === "other") return `${called} (no regular file)${ignored}`;
  const stats = await folder.lstat(name).catch(() => undefined);
  return `${called} (${stats === undefined ? "size unknown" : several(stats.size, "byte")})${ignored}`;
}

/** Returns where a link leads. The text doesn't reveal whether something lies outside. */
async function leadsTo(roots: Roots, path: string): Promise<string> {
  try {
    const place = await roots.locate(path);
    return `${shownName(place.shown)}${place.kind === "directory" && place.shown !== "." ? "/" : ""}`;
  } catch (error) {
    return localErrorType(error) === "OutsideRoots" ? "(outside the folders that may be used)" : "(leads nowhere)";
  }
}

function shownName(name: string): string {
  return needsQuotes(name) || name.trim() !== name ? quoted(name) : name;
}
