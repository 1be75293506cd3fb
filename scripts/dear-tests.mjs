// Records which test files take more processor time than a plain `npm test` can afford: runs all tests, as a plain run would, and
// writes scripts/lib/dear-tests.json. Takes about ten minutes. Processor time hardly depends on what else the machine does.
//   node scripts/dear-tests.mjs
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dearSeconds, recordFile } from "./lib/dear-tests.mjs";
import { root, run, toolEnvironment } from "./lib/workspace.mjs";

const scratch = mkdtempSync(join(tmpdir(), "toolglot-dear-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const noted = join(scratch, "files.jsonl");
const { code } = await run("vitest", ["run", "--reporter=dot"], {
  env: { ...toolEnvironment(), TOOLGLOT_CPU_OF_FILES: noted },
  stream: true,
});
const found = readFileSync(noted, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => /** @type {[string, number]} */ (JSON.parse(line)));
const dear = found.filter(([, seconds]) => seconds > dearSeconds).sort((one, other) => other[1] - one[1]);
const record = Object.fromEntries(dear.map(([file, seconds]) => [file, Number(seconds.toFixed(1))]));
writeFileSync(join(root, recordFile), `${JSON.stringify(record, undefined, 2)}\n`);
console.log(`${dear.length} of ${found.length} test files take more than ${dearSeconds} s`);
process.exitCode = code;
