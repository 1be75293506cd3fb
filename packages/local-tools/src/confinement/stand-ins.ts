import { mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { attempt } from "@toolglot/internal";
import type { StandIn } from "./types.ts";

/** How many shells of this process need one. */
const uses: Map<string, number> = new Map();

/** Creates what each mount needs; returns a function that removes it again where it is as it was made and no other shell of this process needs it. */
export function makeStandIns(places: readonly StandIn[]): () => void {
  const used: StandIn[] = [];
  for (const place of places) {
    const { path, kind, text = "" } = place;
    const isMade = attempt(() => {
      if (kind === "folder") mkdirSync(path);
      else writeFileSync(path, text, { flag: "wx" });
      return true;
    });
    if (!isMade && !uses.has(path)) continue;
    uses.set(path, (uses.get(path) ?? 0) + 1);
    used.push(place);
  }
  return () => {
    for (const { path, kind, text = "" } of used.splice(0).reverse()) {
      const left = (uses.get(path) ?? 1) - 1;
      if (left > 0) {
        uses.set(path, left);
        continue;
      }
      uses.delete(path);
      attempt(() => {
        if (kind === "folder") rmdirSync(path);
        else if (readFileSync(path, "utf8") === text) unlinkSync(path);
      });
    }
  };
}
