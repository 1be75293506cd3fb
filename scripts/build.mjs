// Builds every package, those that changed. `npm run demo` then finds its parts built.
import { digests, noteBuilt } from "./lib/demo-build.mjs";
import { run } from "./lib/workspace.mjs";

const made = digests();
const args = ["run", "build", "--continue=dependencies-successful", "--output-logs=errors-only"];
const { code } = await run("turbo", args, { stream: true, timeoutMs: 10 * 60_000 });
if (code === 0) noteBuilt(made);
process.exitCode = code ?? 1;
