// `npm run dev`: builds what changes, and what depends on it, until it is stopped.
import { spawn } from "node:child_process";
import { root, toolEnvironment } from "./lib/workspace.mjs";

const args = ["watch", "build", "--output-logs=errors-only"];
const child = spawn("turbo", args, { cwd: root, env: toolEnvironment(), stdio: "inherit" });
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => child.kill(signal));
child.on("close", (code) => process.exit(code ?? 0));
