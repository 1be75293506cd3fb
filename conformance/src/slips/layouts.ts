import type { SlipBody } from "./bodies.ts";
import { damageOne } from "./damage.ts";
import type { Random } from "./random.ts";
import type { Slipped, Value } from "./slip.ts";

/** What stands in a text: delimiters, which can be damaged, and all else. Attributes stay as they are in a damaged tag. */
export type Piece = string | { delimiter: string; attributes?: string };

/** Several calls, written in one of a format's layouts. */
export interface LaidOut {
  name: string;
  pieces: readonly Piece[];
  meant: Value[];
  /** White space before every line. */
  indent?: string;
}

/** So many damaged delimiters of each layout. */
const perLayout = 4;

const textOf = ({ pieces, indent = "" }: Pick<LaidOut, "pieces" | "indent">): string =>
  pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const { delimiter, attributes = "" } = piece;
      return attributes === "" ? delimiter : delimiter.replace(/(\w)(\W*)$/, `$1${attributes}$2`);
    })
    .join("")
    .replace(/^(?=[^\n])/gm, indent);

/** Several calls in other layouts, right ones and such with one damaged delimiter. */
export const layoutSlips = <Call>(layOut: (call: Call, body: SlipBody) => LaidOut[]) => ({
  layouts: (call: Call, body: SlipBody): Slipped[] =>
    layOut(call, body).map((laid) => ({ variant: laid.name, text: textOf(laid), meant: laid.meant })),

  "damaged-in-layout": (call: Call, body: SlipBody, random: Random): Slipped[] =>
    layOut(call, body).flatMap(({ name, pieces, meant, indent = "" }) => {
      const delimiters = pieces.flatMap((piece, index) => (typeof piece === "string" ? [] : [{ ...piece, index }]));
      return Array.from({ length: perLayout }, () => {
        const { index, ...piece } = random.pick(delimiters);
        const { what, text: delimiter } = damageOne(piece.delimiter, random);
        const text = textOf({ pieces: pieces.with(index, { ...piece, delimiter }), indent });
        return { variant: `${name}: ${piece.delimiter}, ${what}`, text, meant };
      });
    }),
});
