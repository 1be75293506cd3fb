import { mkdirSync, rmdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { attempt } from "../errors.ts";
import type { FoundPlace } from "./types.ts";

/** How many shells of this process need one. */
const uses: Map<string, number> = new Map();

/**
 * A mount needs something at its place. Makes an empty file or folder at each, and gives what removes those again that are
 * still empty and that no other shell of this process needs.
 */
export function makeStandIns(places: readonly FoundPlace[]): () => void {
  const used: FoundPlace[] = [];
  for (const place of places) {
    const { path, kind } = place;
    const isMade = attempt(() => {
      if (kind === "folder") mkdirSync(path);
      else writeFileSync(path, "", { flag: "wx" });
      return true;
    });
    if (!isMade && !uses.has(path)) continue;
    uses.set(path, (uses.get(path) ?? 0) + 1);
    used.push(place);
  }
  return () => {
    for (const { path, kind } of used.splice(0).reverse()) {
      const left = (uses.get(path) ?? 1) - 1;
      if (left > 0) {
        uses.set(path, left);
        continue;
      }
      uses.delete(path);
      attempt(() => {
        if (kind === "folder") rmdirSync(path);
        else if (statSync(path).size === 0) unlinkSync(path);
      });
    }
  };
}
