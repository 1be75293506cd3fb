import type { OpenedFile, Roots } from "../../src/files/roots.ts";

export { type Scratch, scratchFolder } from "@toolglot/internal/testing/scratch";

/** Opens the file that a path leads to. The caller closes it. */
export async function openedFile(roots: Roots, path: string): Promise<OpenedFile> {
  return roots.openPlace((await roots.locate(path)).path, path);
}
