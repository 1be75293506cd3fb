import { join } from "node:path";
import { parseOwn, readOwn, writeOwn } from "../config/own-file.ts";

/** A tool that is never asked about again, as long as it comes from the same place. */
export interface KeptPermission {
  tool: string;
  /** A module's name or path, or an MCP server with what starts it. */
  from: string;
}

const version = 1;

interface Kept {
  tools: KeptPermission[];
  /** Folders that a model may work in. */
  folders: string[];
}

/** What a person has allowed for good: tools, and folders to work in, in `allowed.json` beside the user's configuration (mode 0600). */
export class KeptPermissions {
  readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "allowed.json");
  }

  /** Throws an error when the file is there and is not as it was written: nothing is allowed by a file that can't be read. */
  list(): Kept {
    const text = readOwn(this.path);
    if (text === "") return { tools: [], folders: [] };
    const { tools, folders } = parseOwn(this.path, text, version, "tools");
    return { tools: tools as KeptPermission[], folders: Array.isArray(folders) ? folders : [] };
  }

  has({ tool, from }: KeptPermission): boolean {
    return this.list().tools.some((one) => one.tool === tool && one.from === from);
  }

  add(permission: KeptPermission): void {
    const kept = this.list();
    if (this.has(permission)) return;
    this.#write({ ...kept, tools: [...kept.tools, { tool: permission.tool, from: permission.from }] });
  }

  hasFolder(folder: string): boolean {
    return this.list().folders.includes(folder);
  }

  addFolder(folder: string): void {
    const kept = this.list();
    if (!kept.folders.includes(folder)) this.#write({ ...kept, folders: [...kept.folders, folder] });
  }

  /** Takes back what was allowed to a tool, or for a folder, of that name; false when nothing was. */
  forget(name: string): boolean {
    const { tools, folders } = this.list();
    const rest = { tools: tools.filter(({ tool }) => tool !== name), folders: folders.filter((one) => one !== name) };
    const isKnown = rest.tools.length < tools.length || rest.folders.length < folders.length;
    if (isKnown) this.#write(rest);
    return isKnown;
  }

  #write(kept: Kept): void {
    writeOwn(this.path, `${JSON.stringify({ version, ...kept }, null, 2)}\n`);
  }
}
