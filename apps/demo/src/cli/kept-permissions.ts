import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@toolglot/internal";
import { configFolder } from "../config/load-config.ts";

/** A tool that is never asked about again, as long as it comes from the same place. */
export interface KeptPermission {
  tool: string;
  /** `demo`, a module's path, or an MCP server with what starts it. */
  from: string;
}

const version = 1;

/** The tools that a person has allowed for good, in `allowed.json` beside the user's configuration (mode 0600). */
export class KeptPermissions {
  readonly path: string;

  constructor(folder: string = configFolder()) {
    this.path = join(folder, "allowed.json");
  }

  /** Throws an error when the file is there and is not as the demo wrote it: nothing is allowed by a file that can't be read. */
  list(): KeptPermission[] {
    let text: string;
    try {
      text = readFileSync(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
    const refused = new Error(`${this.path} is not as the demo wrote it: remove or restore it.`);
    let kept: unknown;
    try {
      kept = JSON.parse(text);
    } catch {
      throw refused;
    }
    if (!isObject(kept) || kept.version !== version || !Array.isArray(kept.tools)) throw refused;
    return kept.tools as KeptPermission[];
  }

  has({ tool, from }: KeptPermission): boolean {
    return this.list().some((one) => one.tool === tool && one.from === from);
  }

  add(permission: KeptPermission): void {
    if (!this.has(permission)) this.#write([...this.list(), { tool: permission.tool, from: permission.from }]);
  }

  /** Asks again about that tool; false when it was not allowed. */
  forget(tool: string): boolean {
    const kept = this.list();
    const rest = kept.filter((one) => one.tool !== tool);
    if (rest.length < kept.length) this.#write(rest);
    return rest.length < kept.length;
  }

  #write(tools: readonly KeptPermission[]): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}.new`;
    writeFileSync(draft, `${JSON.stringify({ version, tools }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.path);
  }
}
