import type { Fragments } from "./fragments.ts";
import type { Masker } from "./masker.ts";

/** So many characters of a form may be shown at a cut. */
const maxShown = 3;
/** Lines that are shown without their neighbours begin and end everywhere, mostly with what only looks like a piece of a form. */
const minOfLine = 12;
/** What a diff and a search put before a line. */
const beforeLine = /^(?:[-+ ]|.{1,400}?:\d{1,15}: )/;

/**
 * Takes the parts of values off the edges where a masked text was cut, which `…` marks: `… the token is sk-ab…` could give away its
 * beginning, and a search for a part of a value what stands around that part. What is left of a form at an edge has three characters.
 */
export function maskCutEdges(text: string, newMasker: () => Masker, fragments: Fragments): string {
  if (!text.includes("…")) return text;
  const parts = text.split("…");
  return parts
    .map((part, index) => {
      let left = part;
      if (index < parts.length - 1) {
        const masker = newMasker();
        // What it holds back begins a form.
        left = masker.write(left) + masker.pause();
        left = left.slice(0, left.length - (fragments.atEnd(left, maxShown + 1)?.length ?? 0));
      }
      return index > 0 ? left.slice(fragments.atStart(left, maxShown + 1)?.length ?? 0) : left;
    })
    .join("…");
}

/** Hides pieces of forms at both ends of each line, for lines that were taken out of a text: those of a search, of a diff. */
export function maskLineEdges(text: string, fragments: Fragments): string {
  if (text.length < minOfLine) return text;
  return text
    .split("\n")
    .map((line) => {
      const prefix = beforeLine.exec(line)?.[0] ?? "";
      // A first character that looks like a diff's may be the line's own.
      return [prefix, ""].reduce((shown, before) => withoutEdges(shown, before.length, fragments), line);
    })
    .join("\n");
}

function withoutEdges(line: string, from: number, fragments: Fragments): string {
  let text = line.slice(from);
  if (text.length < minOfLine) return line;
  const first = fragments.atStart(text, minOfLine);
  if (first !== undefined) text = `‹${first.name}›${text.slice(first.length)}`;
  const last = fragments.atEnd(text, minOfLine);
  if (last !== undefined) text = `${text.slice(0, text.length - last.length)}‹${last.name}›`;
  return line.slice(0, from) + text;
}
