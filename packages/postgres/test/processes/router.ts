import { openPostgres } from "@toolglot/postgres";
import { runRouter } from "../../../trp-core/test/chaos/router.ts";
import { guessing } from "../chaos/guessing.ts";
import { breakAt } from "../chaos/points.ts";
import type { Opened } from "../chaos/stage.ts";

await runRouter(async (text, variant) => {
  const { options, ambiguous = 0, broken } = JSON.parse(text) as Opened;
  if (broken) breakAt(options.url, broken);
  const weaken = guessing(variant, ambiguous);
  // Else the store itself notices that what was taken for done is not there.
  const isBlind = variant === "commit-taken-for-done";
  return weaken(await openPostgres({ ...options, ...(isBlind && { onLostWrites: "report" }) }));
});
