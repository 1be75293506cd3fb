import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import type { TrpImplementation } from "../router-under-test.ts";
import { toolglotOn } from "./toolglot.ts";

/** `@toolglot/trp-core` on SQLite: a router that takes over opens the file anew, as another process would. */
export const toolglotOnSqlite: TrpImplementation = toolglotOn("SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "trp-conformance-"));
  const open = (now: () => number) => openSqlite({ file: join(folder, "router.db"), now, synchronous: "normal" });
  return {
    open,
    reopen: (_, now) => open(now),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
});
