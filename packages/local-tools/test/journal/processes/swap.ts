import { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { tellParent } from "@toolglot/internal/testing/tell-parent";

// A process that swaps a folder for a link to another one and back, for ever. It is killed.

const { root, outside } = JSON.parse(process.argv[2] ?? "") as { root: string; outside: string };
const folder = join(root, "sub");
const away = join(root, "away");

tellParent("ready");
for (let round = 0; ; round++) {
  renameSync(folder, away);
  symlinkSync(outside, folder);
  unlinkSync(folder);
  renameSync(away, folder);
  // Now and then it is quiet for long enough that a change can be made.
  if (round % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 15));
}
