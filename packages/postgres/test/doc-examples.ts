// biome-ignore-all format: as the doc comments have them.
// biome-ignore-all lint/correctness/noUnusedVariables: they only show what there is.

import { openPostgres } from "@toolglot/postgres";
import { type AnyCapability, createRouter } from "@toolglot/trp-core";

declare const capabilities: AnyCapability[];

async function example1(): Promise<unknown> {
  const store = await openPostgres({ url: "postgres://app@db.internal/app" });
  const router = createRouter({ capabilities, store });
  await store.logs.append("app/visits", ["ann"], 0);
  await router.close();
  await store.close();
  return undefined;
}

/** Compiled, and never run: they need servers and files. */
export const examples: readonly (() => Promise<unknown>)[] = [example1];
