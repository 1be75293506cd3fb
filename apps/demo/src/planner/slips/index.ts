import type { TextProtocol } from "@toolglot/core/text";
import { attpJavascriptSlips } from "./attp-javascript.ts";
import { attpSlips } from "./attp-python.ts";
import { routerSlips } from "./router.ts";
import type { Slip } from "./slip.ts";
import { tamSlips } from "./tam.ts";
import { toolsxmlSlips } from "./toolsxml.ts";

export { attpJavascriptSlips } from "./attp-javascript.ts";
export { attpSlips } from "./attp-python.ts";
export { routerSlips } from "./router.ts";
export { misspell, pickSlip } from "./slip.ts";
export { tamSlips } from "./tam.ts";
export { toolsxmlSlips } from "./toolsxml.ts";

/** The slips of each protocol. Native calls have only one: `wrong-name`. */
export const slipsOf: Record<TextProtocol | "attp-js" | "native" | "trp", readonly Slip[]> = {
  attp: attpSlips,
  "attp-js": attpJavascriptSlips,
  tam: tamSlips,
  toolsxml: toolsxmlSlips,
  native: [{ id: "wrong-name", title: "a call to a tool that does not exist, corrected after the error" }],
  trp: routerSlips,
};

/** The names of all slips, each once. */
export const slipNames: readonly string[] = [
  ...new Set(Object.values(slipsOf).flatMap((slips) => slips.map(({ id }) => id))),
];
