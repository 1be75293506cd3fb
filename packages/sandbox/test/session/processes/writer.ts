// Puts one image after another until it is killed; says each turn that was stored.
import { fileSessionStore } from "../../../src/node/session/file-store.ts";

const [dir = "", id = ""] = process.argv.slice(2);
const store = fileSessionStore({ dir });
const claim = await store.claim(id, "writer", 50);
if (!("fence" in claim)) throw new Error("the session is claimed");
const first = (await store.head(id))?.turn ?? 0;
for (let turn = first + 1; ; turn++) {
  await store.put(id, claim.fence, turn, new Uint8Array(1024 * 1024).fill(turn % 251));
  process.stdout.write(`${turn}\n`);
  await store.drop(id, claim.fence, [turn - 3]);
}
