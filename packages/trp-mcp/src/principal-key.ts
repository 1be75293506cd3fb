import type { Principal } from "@toolglot/trp-core";

/** Returns a text that two callers share only when they are one principal. */
export function principalKey({ principal: { tenant, id } }: { principal: Pick<Principal, "tenant" | "id"> }): string {
  return JSON.stringify([tenant, id]);
}
