import { join } from "node:path";
import type { AnyTool } from "@toolglot/core";
import type { DemoStore } from "../data/store.ts";
import { Library } from "../shop/library.ts";
import { exportTool } from "./export.ts";
import { documentTools } from "./search.ts";
import { sqlTool } from "./sql.ts";
import { writingTools } from "./write.ts";

/** The demo's tools over one data folder: search, fetch, SQL, ticket, delete, export. */
export function demoTools(store: DemoStore): AnyTool[] {
  return [
    ...documentTools(new Library(store.documents)),
    sqlTool(store.database),
    ...writingTools(store.database),
    exportTool(store.database, join(store.folder, "reports")),
  ];
}
