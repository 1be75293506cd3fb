import { appendFileSync } from "node:fs";
import { folderStorage } from "@toolglot/storage";
import { beginOrGoOn } from "../forty-effects.ts";

// One life of a run in a process of its own, which kills itself at a moment.

const [folder = "", ledger = "", diesAt = ""] = process.argv.slice(2);
let moment = 0;
const world = {
  async moment(): Promise<void> {
    moment += 1;
    if (moment === Number(diesAt)) process.kill(process.pid, "SIGKILL");
  },
  effect: (key: string): void => appendFileSync(ledger, `${key}\n`),
};
const run = await beginOrGoOn(world, folderStorage(folder), "run");
const { status } = await run.result;
process.stdout.write(status);
