import { statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { checkKeys } from "@toolglot/internal";
import { makeFolder } from "@toolglot/internal/node";
import { PathQueue } from "../../files/file-operations.ts";
import { GrantedHandle, type HandleFields } from "./granted-handle.ts";
import { checkGrants } from "./grants.ts";
import { Mount } from "./mount.ts";
import { type Namespace, namespaces } from "./namespaces.ts";
import type { FsHandle, Grant, NamespaceName } from "./types.ts";

/** Where the namespaces are, and how much is read at most. */
export interface DiskFileSystemOptions {
  /** Holds `userinput`, `workspace` and `internal`, but for those named below. Made when missing. */
  rootDir?: string;
  /** What `/userinput/` is. Made when missing, as the other two. */
  userinputDir?: string;
  workspaceDir?: string;
  internalDir?: string;
  /** Bytes of the largest file that is read. Default 8 MiB. */
  maxBytes?: number;
  /** Entries that one listing or search looks at. Default 50,000. */
  maxEntries?: number;
}

/**
 * A logical file system over real directories: `/userinput/` to read, `/workspace/` to read, write and delete, `/internal/` to
 * read and write. Without `rootDir`, the namespaces without a directory are not there. Throws `TypeError` for options that
 * name no directory, one that is none, or two of which one lies in the other: rights would leak from one to the other.
 *
 * @example
 * ```ts
 * const disk = new DiskFileSystem({ rootDir: "/srv/agent" });
 * const handle = disk.createHandle([{ prefix: "/workspace/", ops: ["list", "read", "write"] }]);
 * ```
 */
export class DiskFileSystem {
  readonly #mounts: ReadonlyMap<string, Mount>;
  readonly #limits: Pick<HandleFields, "maxBytes" | "maxEntries">;
  readonly #queue = new PathQueue();

  constructor(options: DiskFileSystemOptions) {
    checkKeys(
      "DiskFileSystem",
      options,
      "rootDir:text userinputDir:text workspaceDir:text internalDir:text maxBytes:size maxEntries:size",
    );
    const { maxBytes = 8 * 1024 * 1024, maxEntries = 50_000 } = options ?? {};
    this.#limits = { maxBytes, maxEntries };
    const mounts = namespaces.flatMap((namespace) => {
      const dir = directoryOf(namespace, options ?? {});
      return dir === undefined ? [] : [new Mount(namespace, made(dir, namespace.name))];
    });
    if (mounts.length === 0) {
      throw new TypeError("DiskFileSystem needs a directory: { rootDir }, or { workspaceDir } and others");
    }
    demandApart(mounts);
    this.#mounts = new Map(mounts.map((mount) => [mount.namespace.prefix, mount]));
  }

  /** The prefixes of the namespaces that are there. */
  get prefixes(): string[] {
    return [...this.#mounts.keys()];
  }

  /** Returns the real directory of a namespace, for the host; undefined when it is not there. */
  directory(name: NamespaceName): string | undefined {
    return this.#mounts.get(`/${name}/`)?.dir;
  }

  /** Returns a handle with these rights and no others. Throws `TypeError` for a grant that exceeds its namespace, or is for none. */
  createHandle(grants: readonly Grant[]): FsHandle {
    return new GrantedHandle({
      mounts: this.#mounts,
      grants: checkGrants(grants, new Set(this.#mounts.keys())),
      queue: this.#queue,
      ...this.#limits,
    });
  }
}

function directoryOf({ name }: Namespace, options: DiskFileSystemOptions): string | undefined {
  const own = options[`${name}Dir`];
  if (own !== undefined) return resolve(own);
  return options.rootDir === undefined ? undefined : join(resolve(options.rootDir), name);
}

/** Returns the directory, made where it is missing. */
function made(dir: string, name: string): string {
  try {
    makeFolder(dir, 0o777);
  } catch (error) {
    throw new TypeError(`DiskFileSystem: the directory for /${name}/ can't be made: ${dir}`, { cause: error });
  }
  if (!statSync(dir).isDirectory()) throw new TypeError(`DiskFileSystem: ${dir} is no directory`);
  return dir;
}

function demandApart(mounts: readonly Mount[]): void {
  for (const one of mounts) {
    for (const other of mounts) {
      if (one === other || !`${other.dir}${sep}`.startsWith(`${one.dir}${sep}`)) continue;
      const { prefix } = other.namespace;
      throw new TypeError(`DiskFileSystem: the directory of ${prefix} lies in that of ${one.namespace.prefix}`);
    }
  }
}
