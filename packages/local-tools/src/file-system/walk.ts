import type { LogicalPlace, Mount } from "./mount.ts";
import { asFolder } from "./namespaces.ts";
import type { EntryMeta } from "./types.ts";

/**
 * All files below a folder. Folders that are links are not followed, so that it comes to an end; links to files are files.
 * A folder that goes away meanwhile is left out. `TooLarge` when `budget` is used up.
 */
export async function* walk(
  mount: Mount,
  start: LogicalPlace,
  budget: { left: number },
  mayList: (path: string) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<EntryMeta, void, undefined> {
  const open: LogicalPlace[] = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal?.throwIfAborted();
    for (const { isLink, ...meta } of await mount.children(folder, budget)) {
      if (meta.kind === "file") yield meta;
      else if (!isLink) {
        const below = await mount.locate(meta.path).catch(() => undefined);
        if (below?.kind === "directory" && mayList(asFolder(below.resolved))) open.push(below);
      }
    }
  }
}
