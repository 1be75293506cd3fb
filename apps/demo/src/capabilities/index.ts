import type { AnyCapability } from "@toolglot/trp-core";
import type { DemoStore } from "../data/store.ts";
import { Library } from "../shop/library.ts";
import { exportCapability } from "./export.ts";
import { readingCapabilities } from "./reading.ts";
import { writingCapabilities } from "./writing.ts";

/** What a router offers over one data folder: search, fetch, SQL, ticket, delete, notify, export, under the numbers 0 to 6. */
export const demoCapabilities = ({ documents, database }: DemoStore): AnyCapability[] => [
  ...readingCapabilities(new Library(documents), database),
  ...writingCapabilities(database),
  exportCapability(database),
];
