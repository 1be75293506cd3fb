import { sep } from "node:path";

/** A value that nobody may see, with the name that stands in its place. */
export interface ConfigSecret {
  name: string;
  value: string;
}

/** Variables that every process has, and folders: to hide them would hide what an approver has to read. */
const open = new Set(["HOME", "PATH", "LANG", "LOGNAME", "SHELL", "TERM", "USER", "TMPDIR", "PWD"]);
const openHeaders = /^(?:accept|accept-.*|content-type|user-agent|mcp-protocol-version)$/i;

/** Collects the secret values of a configuration: each once, by the first name it came under. */
export class SecretList {
  readonly #names = new Map<string, string>();

  /** A value that came from outside. */
  add(name: string, value: string): void {
    if (value !== "" && !open.has(name) && !this.#names.has(value)) this.#names.set(value, name);
  }

  /** A variable of a program. The path of something in one of the folders is no secret: approvers have to read it. */
  addVariable(name: string, value: string, folders: readonly string[]): void {
    if (!folders.some((folder) => value === folder || value.startsWith(folder + sep))) this.add(name, value);
  }

  addHeader(name: string, value: string): void {
    if (!openHeaders.test(name)) this.add(name, value);
  }

  list(): ConfigSecret[] {
    return [...this.#names].map(([value, name]) => ({ name, value }));
  }
}
