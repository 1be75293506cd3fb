import { openSqlite } from "@toolglot/sqlite";
import { runRouter } from "../../../trp-core/test/chaos/router.ts";

await runRouter((file) => openSqlite({ file }));
