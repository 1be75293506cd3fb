import type { Masker } from "./masker.ts";

/**
 * Takes the parts of values off the edges where a masked text was cut, which `…` marks: `… the token is sk-ab…` could give away its
 * beginning. What stands before a cut is looked at as it is, what stands behind one backwards, so that endings of values are found
 * as the beginnings of their reversed forms.
 */
export function maskCutEdges(text: string, newMasker: () => Masker): string {
  if (!text.includes("…")) return text;
  const beforeCut = (part: string): string => {
    const masker = newMasker();
    // What it holds back begins a form.
    return masker.write(part) + masker.pause();
  };
  const parts = text.split("…");
  return parts
    .map((part, index) => {
      const start = index < parts.length - 1 ? beforeCut(part) : part;
      return index > 0 ? reversed(beforeCut(reversed(start))) : start;
    })
    .join("…");
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}
