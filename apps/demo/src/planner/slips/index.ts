import type { TextProtocol } from "@toolglot/core/text";
import type { Task } from "../task.ts";
import { attpJavascriptSlips, attpSlips } from "./attp.ts";
import { routerSlips, tamSlips, toolsxmlSlips } from "./calls.ts";
import type { Slip } from "./slip.ts";

export { attpJavascriptSlips, attpSlips, routerSlips, tamSlips, toolsxmlSlips };

/** The slips of each protocol. Native calls have only one: `wrong-name`. */
export const slipsOf = {
  attp: attpSlips,
  "attp-js": attpJavascriptSlips,
  tam: tamSlips,
  toolsxml: toolsxmlSlips,
  native: [{ id: "wrong-name" }],
  trp: routerSlips,
} satisfies Record<TextProtocol | "attp-js" | "native" | "trp", readonly Slip[]>;

/** The names of all slips, each once. */
export const slipNames: readonly string[] = [
  ...new Set(Object.values(slipsOf).flatMap((slips: readonly Slip[]) => slips.map(({ id }) => id))),
];

/** The slip for a task: the first that fits, from `turn` on in the rotation. */
export function pickSlip<Kind extends Slip>(slips: readonly Kind[], task: Task, turn: number): Kind {
  const at = ((turn % slips.length) + slips.length) % slips.length;
  const rotated = [...slips.slice(at), ...slips.slice(0, at)];
  return rotated.find((slip) => slip.fits?.(task) ?? true) as Kind;
}
