// Files that import each other in a circle: neither can be read, tested or loaded without the other. Imports of types count, too: they
// are gone when the code runs, but whoever reads one of the files must read all of them.
import { posix } from "node:path";
import { findImports } from "./imports.mjs";

/** @typedef {import("./arrows.mjs").File} File */

/**
 * The circles of imports among files, each as the paths on its way, sorted.
 * @param {readonly File[]} files
 * @returns {string[][]}
 */
export function findCircles(files) {
  const paths = new Set(files.map(({ path }) => path));
  /** @type {Map<string, string[]>} */
  const arrows = new Map(
    files.map(({ path, source }) => [
      path,
      findImports(path, source)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
        .filter((target) => paths.has(target)),
    ]),
  );
  return components(arrows).filter(
    (group) => group.length > 1 || arrows.get(/** @type {string} */ (group[0]))?.includes(String(group[0])),
  );
}

/**
 * The groups of places that reach each other (Tarjan's algorithm), each sorted.
 * @param {Map<string, string[]>} arrows
 */
function components(arrows) {
  /** @type {string[][]} */
  const groups = [];
  /** @type {Map<string, { at: number, low: number, open: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @param {string} place */
  const visit = (place) => {
    const mine = { at: seen.size, low: seen.size, open: true };
    seen.set(place, mine);
    stack.push(place);
    for (const next of arrows.get(place) ?? []) {
      const known = seen.get(next) ?? visit(next);
      if (known.open) mine.low = Math.min(mine.low, known.low);
    }
    if (mine.low === mine.at) {
      const group = stack.splice(stack.indexOf(place));
      for (const one of group) /** @type {{ open: boolean }} */ (seen.get(one)).open = false;
      groups.push(group.sort());
    }
    return mine;
  };
  for (const place of arrows.keys()) if (!seen.has(place)) visit(place);
  return groups;
}
