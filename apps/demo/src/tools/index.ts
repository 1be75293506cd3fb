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
  const { search, fetch } = documentTools(new Library(store.documents));
  const { ticket, deletion } = writingTools(store.database);
  return [
    ...[search, fetch, sqlTool(store.database), ticket, deletion],
    exportTool(store.database, join(store.folder, "reports")),
  ];
}
