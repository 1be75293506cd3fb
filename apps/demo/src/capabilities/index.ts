import type { AnyCapability } from "@toolglot/trp-core";
import type { DemoStore } from "../data/store.ts";
import { Library } from "../shop/library.ts";
import { exportCapability } from "./export.ts";
import { readingCapabilities } from "./reading.ts";
import { slowed } from "./slowed.ts";
import { writingCapabilities } from "./writing.ts";

/** Options of {@link demoCapabilities}. */
export interface CapabilityOptions {
  /** What every executor waits before it begins, in milliseconds; for tests of overlap. Default 0. */
  baseSleepMs?: number;
  now?: () => Date;
}

/** What a router offers over one data folder: search, fetch, SQL, ticket, delete, notify, export, under the numbers 0 to 6. */
export function demoCapabilities(
  { documents, database }: DemoStore,
  { baseSleepMs = 0, now }: CapabilityOptions = {},
): AnyCapability[] {
  const all = [
    ...readingCapabilities(new Library(documents), database),
    ...writingCapabilities(database, now),
    exportCapability(database),
  ];
  return baseSleepMs > 0 ? all.map((capability) => slowed(capability, baseSleepMs)) : all;
}
