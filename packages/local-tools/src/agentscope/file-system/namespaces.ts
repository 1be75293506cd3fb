import { localError } from "../../errors.ts";
import { inMessage } from "../../messages.ts";
import type { NamespaceName, Operation } from "./types.ts";

/** What the user gave: read only. */
export const userinputPrefix = "/userinput/";
/** What the model makes: read, written and deleted. */
export const workspacePrefix = "/workspace/";
/** What the host keeps: read and written, never deleted. */
export const internalPrefix = "/internal/";

const reading: readonly Operation[] = ["list", "file", "read_binary", "read_file", "read_re"];

/** A namespace and the most that can be done in it, whatever is granted. */
export interface Namespace {
  readonly name: NamespaceName;
  readonly prefix: string;
  readonly rights: ReadonlySet<Operation>;
}

export const namespaces: readonly Namespace[] = [
  { name: "userinput", prefix: userinputPrefix, rights: new Set(reading) },
  { name: "workspace", prefix: workspacePrefix, rights: new Set<Operation>([...reading, "write", "delete"]) },
  { name: "internal", prefix: internalPrefix, rights: new Set<Operation>([...reading, "write"]) },
];

/** Returns the namespace of a logical path; undefined when it is in none. Case counts. */
export function namespaceOf(path: string): Namespace | undefined {
  return namespaces.find(({ prefix }) => path.startsWith(prefix) || path === prefix.slice(0, -1));
}

/** Control characters, wildcards, backslashes (Windows reads them as separators), doubled slashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const illegal = /[\0-\x1f\x7f*?\\]|\/\//;

/**
 * Checks that a text is a logical path and returns it: absolute, without `.` and `..` as names, control
 * characters, wildcards, backslashes and doubled slashes. Nothing is trimmed: `/a` and `/a ` are two paths. Throws
 * `InvalidPath`.
 */
export function validatePath(path: unknown): string {
  if (typeof path !== "string" || !path.startsWith("/") || illegal.test(path) || /\/\.{1,2}(\/|$)/.test(path)) {
    const shown = typeof path === "string" ? inMessage(path) : typeof path;
    const cure = "it must be absolute, as /workspace/notes.md, without .., *, ?, \\ and //.";
    throw localError("InvalidPath", `Invalid logical path: ${shown}: ${cure}`);
  }
  return path;
}

/** Returns a folder's path as prefixes are written: with a slash at its end. */
export function asFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
