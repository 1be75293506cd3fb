import type { Masker } from "@toolglot/secrets";

/** Creates a masker for one stream: the log, the increments, and a screen have one each. */
export type MakeMasker = () => Masker;

/** Takes nothing out. */
export const noMasker: MakeMasker = () => ({ write: (text) => text, pause: () => "", end: () => "" });
