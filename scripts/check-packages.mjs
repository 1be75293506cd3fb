// publint and attw ("Are the types wrong?") look at every package's tarball: what a user would install. Needs a build.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { createChecks } from "./lib/checks.mjs";
import { createTarballs } from "./lib/tarballs.mjs";
import { toolEnvironment } from "./lib/workspace.mjs";

/** How ESM-only packages are never loaded. */
const notOurs = ["node10", "node16-cjs"];

Object.assign(process.env, toolEnvironment());
const scratch = mkdtempSync(join(tmpdir(), "toolglot-packages-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const { packages, pack } = createTarballs(scratch);
const { verify, finish } = createChecks("packages");

for (const member of packages) {
  /** @type {Buffer | undefined} */
  let tarball;
  await verify(`${member.id}: packs`, async () => {
    tarball = readFileSync(await pack(member));
  });
  if (tarball === undefined) continue;
  const data = new Uint8Array(tarball);
  await verify(`${member.id}: publint finds nothing`, async () => {
    const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
    const faults = messages.filter(({ type }) => type !== "suggestion");
    if (faults.length > 0) throw new Error(faults.map((message) => formatMessage(message, pkg)).join("\n"));
  });
  await verify(`${member.id}: the types are right`, async () => {
    const result = await checkPackage(createPackageFromTarballData(data));
    if (!result.types) throw new Error("it has no types");
    const problems = result.problems.filter(
      (problem) => !("resolutionKind" in problem && notOurs.includes(problem.resolutionKind)),
    );
    if (problems.length > 0) throw new Error(problems.map((problem) => JSON.stringify(problem)).join("\n"));
  });
}
finish();
