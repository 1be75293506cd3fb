import type { AnyTool } from "@toolglot/core";
import type { DemoStore } from "../data/store.ts";
import { documentTools } from "./search.ts";
import { sqlTool } from "./sql.ts";
import { writingTools } from "./write.ts";

/** The demo's five tools over one data folder: search, fetch, SQL, ticket, delete. */
export function demoTools(store: DemoStore): AnyTool[] {
  return [...documentTools(store.documents), sqlTool(store.database), ...writingTools(store.database)];
}
