// What the release workflow runs, with the pinned pnpm on PATH (changesets start it by name), and its rehearsal.
//   node scripts/release.mjs version     versions and changelogs from the changesets
//   node scripts/release.mjs publish     publishes what npm does not have yet
//   node scripts/release.mjs rehearse    both in a clean clone, up to the upload; needs a build
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChecks } from "./lib/checks.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { publicPackages, root, run, toolEnvironment } from "./lib/workspace.mjs";

/** @typedef {import("./lib/workspace.mjs").Manifest & { version: string, repository?: { directory?: string } }} Published */

const [step] = process.argv.slice(2);
if (step !== "version" && step !== "publish" && step !== "rehearse") {
  console.error("usage: node scripts/release.mjs version | publish | rehearse");
  process.exit(2);
}
const env = toolEnvironment();
if (step === "rehearse") await rehearse();
else process.exitCode = (await run("changeset", [step], { env, stream: true })).code;

/** Clones the last commit, takes the versions from its changesets, and packs and publishes everything but for the upload. */
async function rehearse() {
  const { verify, finish } = createChecks("release");
  const scratch = mkdtempSync(join(tmpdir(), "toolglot-release-"));
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const clone = join(scratch, "clone");
  const tarballs = join(scratch, "tarballs");
  mkdirSync(tarballs);
  /** @param {string} command @param {string[]} args @param {string} [cwd] */
  const must = async (command, args, cwd = clone) => {
    const { code, output } = await run(command, args, { cwd, env });
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}\n${output}`);
    return output;
  };
  const members = publicPackages();
  const isVersioned = await verify("versions come from the changesets of the last commit", async () => {
    await must("git", ["clone", "--quiet", "--local", root, clone], scratch);
    await must("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"]);
    await must("changeset", ["version"]);
    // The lock file must still fit, or the publishing workflow can't install.
    await must("pnpm", ["install", "--frozen-lockfile", "--offline", "--ignore-scripts"]);
  });
  if (!isVersioned) return finish();
  const versions = new Map(
    members.map(({ folder, manifest: { name } }) => [name, manifestOf(join(clone, folder)).version]),
  );
  // A peer whose new version is out of range makes the next version of its dependents a major one.
  await verify("no package becomes 1.0 by its peers", async () => {
    const stable = [...versions].filter(([, version]) => !version.startsWith("0."));
    if (stable.length > 0) throw new Error(stable.map((one) => one.join(" ")).join(", "));
  });

  await inPairs(members, async ({ id, folder, path }) => {
    await verify(`${id}: is packed and would be published`, async () => {
      const inClone = join(clone, folder);
      const { name, version, repository } = manifestOf(inClone);
      if (repository?.directory !== folder)
        throw new Error(`repository.directory is not ${folder}: npm refuses its provenance`);
      const letter = letterOf(join(inClone, "CHANGELOG.md"), version);
      cpSync(join(path, "dist"), join(inClone, "dist"), { recursive: true });
      const tarball = join(tarballs, `${id}.tgz`);
      await must("pnpm", ["pack", "--out", tarball], inClone);
      const packed = join(scratch, id);
      mkdirSync(packed);
      await must("tar", ["-xzf", tarball, "-C", packed]);
      checkManifest(manifestOf(join(packed, "package")), versions);
      await must("npm", ["publish", "--dry-run", "--access", "public", tarball], scratch);
      console.log(`  ${name}@${version}, a letter of ${letter.split(/\s+/).length} words`);
    });
  });
  finish();
}

/** @param {string} folder @returns {Published} */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/**
 * Throws unless npm could install it: no protocol of the workspace is left, and our packages are asked for in the versions that would
 * be published.
 * @param {Published} manifest
 * @param {Map<string, string>} versions
 */
function checkManifest(manifest, versions) {
  if (JSON.stringify(manifest).match(/"(?:workspace|catalog|link|file):/))
    throw new Error("a range of the workspace is left in its package.json");
  for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const version = versions.get(name);
    if (name.startsWith("@toolglot/") && version === undefined)
      throw new Error(`needs ${name}, which is not published`);
    if (version !== undefined && range !== `^${version}`)
      throw new Error(`needs ${name} ${range}, but ${version} would be published`);
  }
}

/** The text of a version in a changelog. @param {string} path @param {string} version */
function letterOf(path, version) {
  const changelog = existsSync(path) ? readFileSync(path, "utf8") : "";
  const letter = changelog.split(/^## /m).find((part) => part.startsWith(`${version}\n`));
  if (!letter) throw new Error(`no changeset says what ${version} brings`);
  return letter.slice(version.length).trim();
}
