import type { Masker } from "@toolglot/secrets";

export type MakeMasker = () => Masker;

/** Takes nothing out. */
export const noMasker: MakeMasker = () => ({ write: (text) => text, pause: () => "", end: () => "" });
