import { type AnyCapability, defineCapability } from "@toolglot/trp-core";
import { z } from "zod";

/** What everything here calls: three short strings in, one out. */
export interface Lookup {
  city: string;
  street: string;
  number: string;
}

export const address: Lookup = { city: "Paris", street: "Rue de Rivoli", number: "12 bis" };
export const lookupZod = z.object({ city: z.string(), street: z.string(), number: z.string() });
export const found = "12 bis, Rue de Rivoli, Paris";

export async function lookup({ city, street, number }: Lookup): Promise<string> {
  return `${number}, ${street}, ${city}`;
}

const args = { city: "string", street: "string", number: "string" } as const;

/** Reads: LOW risk, no key. */
export const readCapability: AnyCapability = defineCapability({
  capId: "cap.address.read.v1",
  name: "read_address",
  description: "Puts an address into a line.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args,
  execute: async (input) => ({ line: await lookup(input) }),
});

/** Writes: MEDIUM risk, a key for each call. */
export const writeCapability: AnyCapability = defineCapability({
  capId: "cap.address.write.v1",
  name: "write_address",
  description: "Puts an address into a line, as if that changed something.",
  riskTier: "MEDIUM",
  ioClass: "WRITE",
  effect: "keyed",
  args,
  execute: async (input) => ({ line: await lookup(input) }),
});
