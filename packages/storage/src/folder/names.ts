import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { absent } from "./own-folder.ts";

// A name is a path of folders by its slashes. Letters that a file system might take for others are written as `%` and the hexadecimal
// numbers of their bytes: capitals, dots, and all but plain letters, digits, `-` and `_`. So no folder has the name of a file, which
// ends in a dot and what it is. A part that is too long for a file system goes on in a folder: `aaaa…~/aaaa…`.

const plain = /[a-z0-9_-]/;
const maxPartLength = 200;
/** Names that Windows keeps for devices. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** The path of a name below a folder; `ending`: `log`, `blob`. */
export function pathOf(dir: string, name: string, ending: string): string {
  return `${join(dir, ...name.split("/").flatMap(foldersOf))}.${ending}`;
}

function foldersOf(part: string): string[] {
  const encoded = part === "" ? "%" : encode(part);
  const pieces = encoded.match(new RegExp(`.{1,${maxPartLength}}`, "g")) ?? [];
  return pieces.map((piece, at) => (at < pieces.length - 1 ? `${piece}~` : piece));
}

function encode(part: string): string {
  const bytes = [...Buffer.from(part)];
  const encoded = bytes.map((byte) => {
    const letter = String.fromCharCode(byte);
    return plain.test(letter) ? letter : `%${byte.toString(16).padStart(2, "0")}`;
  });
  const [first = 0] = bytes;
  return (device.test(part) ? [`%${first.toString(16)}`, ...encoded.slice(1)] : encoded).join("");
}

/** Lists the names below a folder that begin with a text. */
export async function* namesIn(dir: string, prefix: string, ending: string): AsyncIterable<string> {
  const parts = prefix.split("/").slice(0, -1);
  const start = join(dir, ...parts.flatMap(foldersOf));
  for await (const path of filesBelow(start, "")) {
    if (!path.endsWith(`.${ending}`)) continue;
    const name = decode(path.slice(0, -ending.length - 1));
    const whole = [...parts, name].join("/");
    if (whole.startsWith(prefix)) yield whole;
  }
}

async function* filesBelow(dir: string, path: string): AsyncIterable<string> {
  const entries = (await absent(readdir(join(dir, path), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(dir, below);
    else yield below;
  }
}

function decode(path: string): string {
  const parts = path.replaceAll("~/", "").split("/");
  return parts.map((part) => (part === "%" ? "" : decodeURIComponent(part))).join("/");
}
