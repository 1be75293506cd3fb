import { canonicalJson as write } from "@toolglot/internal";

/**
 * The one JSON text of a value, by RFC 8785: no spaces, keys in order of their UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Equal values give equal texts, whatever order their keys came in.
 *
 * Where the RFC has no answer: a lone surrogate, which the RFC refuses, is written as its `\udXXX` escape, so that the
 * text is always valid Unicode and different strings stay different. What JSON can't say is treated as `JSON.stringify`
 * treats it (`undefined` members left out, `undefined` and functions in arrays and non-finite numbers `null`, `toJSON`
 * obeyed), and a bigint is written as its digits. `TypeError` for what goes round in a circle.
 */
export const canonicalJson: (value: unknown) => string = write;
