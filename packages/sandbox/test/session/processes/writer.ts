// Puts one image after another until it is killed; says each turn that was stored.
import { folderStorage } from "@toolglot/storage";
import { holdSession } from "../../../src/node/session/holding.ts";

const [dir = "", id = ""] = process.argv.slice(2);
const holding = await holdSession(folderStorage(dir), id, 100);
const first = holding.turns.at(-1)?.turn ?? 0;
for (let turn = first + 1; ; turn++) {
  await holding.put(turn, new Uint8Array(1024 * 1024).fill(turn % 251), [turn - 2, turn - 1], 60_000);
  process.stdout.write(`${turn}\n`);
}
