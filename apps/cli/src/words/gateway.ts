import type { Locale } from "@toolglot/core";
import { en, type GatewayWords } from "./gateway-en.ts";
import { zh } from "./gateway-zh.ts";

export type { GatewayWords } from "./gateway-en.ts";

/** Returns what `gateway` says in a language; English by default. `cli`: how the person calls the command line. */
export const gatewayWords = (locale?: Locale, cli = "toolglot"): GatewayWords => (locale === "zh" ? zh : en)(cli);
