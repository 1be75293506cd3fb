// Every changed package has a changeset, and the changesets parse and name real packages.
import { run } from "./lib/workspace.mjs";

const hasBase = (await run("git", ["rev-parse", "--verify", "--quiet", "main"])).code === 0;
if (!hasBase) console.log("there is no branch main here to compare with: only the configuration is checked");
const { code, output } = await run("changeset", ["status", ...(hasBase ? [] : ["--since=HEAD"])]);
console.log(output.trimEnd());
process.exitCode = code;
