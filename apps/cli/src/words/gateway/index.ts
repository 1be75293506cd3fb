import type { Locale } from "@toolglot/core";
import { en, type GatewayWords } from "./en.ts";
import { zh } from "./zh.ts";

export type { GatewayWords };

/** Returns what `gateway` says in a language; English by default. `cli`: how the person calls the command line. */
export const gatewayWords = (locale?: Locale, cli = "toolglot"): GatewayWords => (locale === "zh" ? zh : en)(cli);
