import { randomBytes } from "node:crypto";
import { ToolglotError } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { isName } from "../name-and-value.ts";

/** How the key follows from the passphrase. */
export interface KeyDerivation {
  name: "scrypt";
  N: number;
  r: 8;
  p: 1;
  /** 16 bytes, base64. */
  salt: string;
}

/** An entry as it stands in the file; `iv` (12 bytes), `data` and `tag` (16 bytes) are base64. */
export interface SealedEntry {
  name: string;
  scope: string;
  at: number;
  iv: string;
  data: string;
  tag: string;
}

/** The content of a file of secrets. */
export interface VaultFile {
  version: 1;
  kdf: KeyDerivation;
  check: string;
  entries: SealedEntry[];
}

const newN = 2 ** 17;
/** A larger one would take minutes and gigabytes: nobody's file. A smaller one would make guessing cheap. */
const maxN = 2 ** 20;

export function newDerivation(): KeyDerivation {
  return { name: "scrypt", N: newN, r: 8, p: 1, salt: randomBytes(16).toString("base64") };
}

/** Reads a file's text. Throws `secrets/damaged` for anything that this version did not write. */
export function parseVault(text: string, path: string): VaultFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw damaged(path, "it is no JSON", error);
  }
  if (!isObject(parsed)) throw damaged(path, "it is no object");
  const { version, kdf, check, entries } = parsed;
  if (version !== 1) throw damaged(path, "its version is unknown");
  if (!isDerivation(kdf)) throw damaged(path, "its key derivation is not ours");
  if (!isBytes(check, 32)) throw damaged(path, "its check is missing");
  if (!Array.isArray(entries) || !entries.every(isEntry)) throw damaged(path, "an entry has another form");
  const keys = entries.map(({ name, scope }) => JSON.stringify([scope, name]));
  if (new Set(keys).size < keys.length) throw damaged(path, "it holds a name twice");
  return { version, kdf, check, entries };
}

export function formatVault(vault: VaultFile): string {
  return `${JSON.stringify(vault, undefined, 1)}\n`;
}

export function damaged(path: string, what: string, cause?: unknown): ToolglotError {
  const message = `${path} is damaged: ${what}. It was left as it is; restore it from a backup, or move it away and set the values again.`;
  return new ToolglotError("secrets/damaged", message, { data: { path }, cause });
}

function isDerivation(kdf: unknown): kdf is KeyDerivation {
  if (!isObject(kdf)) return false;
  const { name, N, r, p, salt } = kdf;
  const isPower = typeof N === "number" && Number.isInteger(Math.log2(N));
  return name === "scrypt" && isPower && N >= newN && N <= maxN && r === 8 && p === 1 && isBytes(salt, 16);
}

function isEntry(entry: unknown): entry is SealedEntry {
  if (!isObject(entry)) return false;
  const { name, scope, at, iv, data, tag } = entry;
  return (
    isName(name) &&
    typeof scope === "string" &&
    Number.isSafeInteger(at) &&
    isBytes(iv, 12) &&
    isBytes(tag, 16) &&
    isBytes(data)
  );
}

/** Checks for base64 of so many bytes; without a length of any. */
function isBytes(text: unknown, length?: number): text is string {
  if (typeof text !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  return length === undefined || Buffer.from(text, "base64").length === length;
}
