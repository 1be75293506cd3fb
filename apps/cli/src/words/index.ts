import type { Locale } from "@toolglot/core";
import { en, type Words } from "./en.ts";
import { zh } from "./zh.ts";

export type { Words };

/** Returns what is said in a language; English by default. `cli`: how the person calls the command line. */
export const wordsFor = (locale?: Locale, cli = "toolglot"): Words => (locale === "zh" ? zh : en)(cli);
