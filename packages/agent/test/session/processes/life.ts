import { appendFileSync } from "node:fs";
import { fileSessions } from "@toolglot/agent/node";
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
const run = await beginOrGoOn(world, fileSessions(folder), "run");
const { status } = await run.result;
process.stdout.write(status);
