import type { GateCaller } from "./options.ts";

/** Returns a text that two callers share only when they are one principal. */
export function principalKey({ principal: { tenant, id } }: Pick<GateCaller, "principal">): string {
  return JSON.stringify([tenant, id]);
}
