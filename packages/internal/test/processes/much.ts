import { Worker } from "node:worker_threads";
import { tellParent } from "../../testing/tell-parent.ts";

// A process whose standard output does not block, because it has a thread, and that has more to say than a pipe holds.

new Worker("", { eval: true });
for (let index = 0; index < 20_000; index++) tellParent(`line ${index}`);
