// Every property test with cases that nobody has seen, over and over. A failure prints its seed: write the case into a test.
//   npm run test:fuzz                      ten rounds
//   npm run test:fuzz -- 3 attp tam        three rounds, of files whose path has one of these words
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const asked = process.argv.slice(2);
const rounds = /^\d+$/.test(asked[0] ?? "") ? Number(asked.shift()) : 10;
const files = ["packages", "apps", "conformance", "bench"]
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, encoding: "utf8" }).map((file) => join(top, file)))
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
  .filter((file) => asked.length === 0 || asked.some((word) => file.includes(word)))
  .filter((file) => readFileSync(join(root, file), "utf8").includes('from "fast-check"'));
if (files.length === 0) {
  console.error(`no property test has ${asked.join(" or ")} in its path`);
  process.exit(2);
}

let failed = 0;
for (let round = 1; round <= rounds; round += 1) {
  const { status } = spawnSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files], {
    cwd: root,
    env: { ...process.env, TOOLGLOT_SEED: "new" },
    stdio: "inherit",
  });
  if (status !== 0) failed += 1;
  console.log(`round ${round} of ${rounds}: ${status === 0 ? "passed" : "failed"}`);
}
console.log(`${rounds - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
