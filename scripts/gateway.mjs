// `npm run gateway -- …` is the command line's `gateway`. Alone it shows one: two demonstration servers, what becomes of their tools, and an
// agent that reads, is asked about, repeats and is refused.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./lib/workspace.mjs";

const args = process.argv.slice(2);
const commandLine = ["--without-demo", "gateway"];
if (args.length > 0) {
  // In this process, which the signals go to.
  process.argv.splice(2, args.length, ...commandLine, ...args);
  await import("./demo.mjs");
} else {
  const example = join(root, "examples/gateway");
  const config = ["--config", join(example, "toolglot.json")];
  run(join(root, "scripts/demo.mjs"), ...commandLine, "check", "--connect", ...config);
  run(join(example, "main.mjs"), process.execPath, join(root, "apps/cli/dist/main.js"));
}

/** @param {string[]} program */
function run(...program) {
  const { status } = spawnSync(process.execPath, program, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
