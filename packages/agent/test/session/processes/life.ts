import { appendFileSync } from "node:fs";
import { openStorage } from "../../support/open-storage.ts";
import { beginOrGoOn } from "../forty-effects.ts";

// One life of a run in a process of its own, which kills itself at a moment.

const [place = "", ledger = "", diesAt = ""] = process.argv.slice(2);
let moment = 0;
const world = {
  async moment(): Promise<void> {
    moment += 1;
    if (moment === Number(diesAt)) process.kill(process.pid, "SIGKILL");
  },
  effect: (key: string): void => appendFileSync(ledger, `${key}\n`),
};
const storage = await openStorage(place);
try {
  const { status, error } = await (await beginOrGoOn(world, storage, "run")).result;
  process.stdout.write(error?.code ?? status);
} catch (error) {
  process.stdout.write((error as { code: string }).code);
}
await storage.close();
