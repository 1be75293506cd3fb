import { createHash } from "node:crypto";

/** Names of a server's tool. */
export interface ToolNames {
  /** `cap.mcp.<server>.<tool>.v1`. */
  capId: string;
  /** The name that clients see: `<server>__<tool>`. */
  shownName: string;
}

/** Last parts of the ids of capabilities that a server has besides its tools. */
export const resourceRead = "resource_read";
export const promptGet = "prompt_get";

/** As long as clients take names. */
const longest = 64;
const maxServerLength = 40;
/** Letters of a digest that make a changed name its own again, and all letters of one. */
const tailLetters = 6;
const allLetters = 52;

/**
 * Returns the names of a server's tools, by the tools' own names. They follow from server and tool alone, so that no name moves when
 * others come; only where two digests begin alike, one is longer.
 */
export function toolNames(server: string, tools: readonly string[]): Map<string, ToolNames> {
  const slugs = assign(tools, (tool, letters) => slug(tool, letters), new Set([resourceRead, promptGet]));
  const shown = shownNames(server, tools);
  return new Map(
    [...shown].map(([tool, shownName]) => [tool, { capId: capIdOf(server, slugs.get(tool) as string), shownName }]),
  );
}

/** Returns the names that clients see of a server's tools, or prompts, by their own names. */
export function shownNames(server: string, names: readonly string[]): Map<string, string> {
  const prefix = `${serverPart(server)}__`;
  const room = longest - prefix.length - (startsWithLetter(prefix) ? 0 : 1);
  const shown = assign(names, (name, letters) => cut(name, clean(name, "_"), room, letters));
  return new Map([...shown].map(([name, part]) => [name, prefix + part]));
}

/** Returns the id of a capability of a server. `part`: a slug. */
export function capIdOf(server: string, part: string): string {
  return `cap.mcp.${slug(server)}.${part}.v1`;
}

/** Returns what a capability is called in the catalog of a router, which has no name that begins with a digit. */
export function catalogName(shownName: string): string {
  return startsWithLetter(shownName) ? shownName : `_${shownName}`;
}

/** Returns what the read of resources, or of prompts, is called: no tool's name, as those have `__` after the server. */
export function offerName(server: string, part: string): string {
  return `mcp.${serverPart(server)}.${part}`;
}

/** Returns a part of a capability's id. */
export function slug(name: string, letters = 0): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[_-]+/, "");
  return cut(name, plain, longest, letters);
}

/**
 * Without `__` in it or `_` at its end, so that the first `__` of a shown name is where the tool begins; and without `_` at its beginning,
 * which is that of names in a catalog.
 */
export function serverPart(server: string): string {
  const plain = clean(server, "-").replace(/_{2,}/g, "_").replace(/^_|_$/g, "");
  return cut(server, plain, maxServerLength, 0);
}

const clean = (name: string, instead: string): string => name.replace(/[^A-Za-z0-9_.-]+/g, instead);

const startsWithLetter = (name: string): boolean => /^[A-Za-z_]/.test(name);

/** Returns a name that needs no change; else as much of what it was made into as there is room for, and letters of its digest. */
function cut(name: string, plain: string, room: number, letters: number): string {
  if (plain === name && name !== "" && name.length <= room && letters === 0) return name;
  const tail = digest(name).slice(0, Math.min(letters || tailLetters, room - 2));
  return `${plain.slice(0, room - tail.length - 1) || "x"}-${tail}`;
}

/** Assigns each name another one that is its own. What stays as it is goes first. */
function assign(
  names: readonly string[],
  make: (name: string, letters: number) => string,
  taken: Set<string> = new Set(),
): Map<string, string> {
  const made = new Map<string, string>();
  const give = (name: string, letters: number): boolean => {
    const wanted = make(name, letters);
    if (taken.has(wanted)) return false;
    taken.add(wanted);
    made.set(name, wanted);
    return true;
  };
  const changed = [...new Set(names)].filter((name) => make(name, 0) !== name || !give(name, 0));
  for (const name of [...changed].sort()) {
    let letters = tailLetters;
    while (!made.has(name) && !give(name, letters) && letters < allLetters) letters += tailLetters;
  }
  return made;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns the SHA-256 of a text in base32. */
function digest(text: string): string {
  let bits = "";
  for (const byte of createHash("sha256").update(text).digest()) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}
