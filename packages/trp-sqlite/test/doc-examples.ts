// biome-ignore-all format: as the doc comments have them.
// biome-ignore-all lint/correctness/noUnusedVariables: they only show what there is.
import { type AnyCapability, createRouter } from "@toolglot/trp-core";
import { openSqliteOperationLog, openSqliteStore } from "@toolglot/trp-sqlite";

declare const capabilities: AnyCapability[];

async function example1(): Promise<unknown> {
  const store = await openSqliteStore({ file: "/var/lib/app/router.db" });
  const router = createRouter({ capabilities, store });
  await router.close();
  await store.close();
  return undefined;
}

async function example2(): Promise<unknown> {
  const log = await openSqliteOperationLog({ file: "/var/lib/app/plans.db" });
  return undefined;
}

/** Compiled, and never run: they need servers and files. */
export const examples: readonly (() => Promise<unknown>)[] = [example1, example2];
