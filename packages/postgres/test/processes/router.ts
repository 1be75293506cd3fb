import { openPostgres } from "@toolglot/postgres";
import { runRouter } from "../../../trp-core/test/chaos/router.ts";

await runRouter((options) => openPostgres(JSON.parse(options)));
