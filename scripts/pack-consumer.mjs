// Packs every public package and uses the tarballs as a stranger would, in empty projects outside the repository.
// Needs a build. KEEP=1 keeps the projects. Results go to TOOLGLOT_OUTCOMES when `npm test` asks for them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { architecture } from "./lib/architecture.mjs";
import { packageOf } from "./lib/arrows.mjs";
import { openInChromium } from "./lib/chromium.mjs";
import {
  bundleForBrowser,
  compile,
  createProject,
  entriesOf,
  importEntries,
  install,
  requireEntries,
  runExample,
  runInside,
  runReadmeExample,
} from "./lib/consumer-project.mjs";
import { findImports } from "./lib/imports.mjs";
import { closingLine, count } from "./lib/outcomes.mjs";
import { readmeExamples } from "./lib/readme-examples.mjs";
import { publicPackages, root, run } from "./lib/workspace.mjs";

/** @typedef {import("./lib/workspace.mjs").Member} Member */

const scratch = mkdtempSync(join(tmpdir(), "toolglot-consumer-"));
const packages = publicPackages();
/** @type {import("./lib/outcomes.mjs").Outcome[]} */
const outcomes = [];

/**
 * Runs one check; what it throws is its failure, a returned `{ skip }` its reason to skip.
 * @param {string} name
 * @param {() => Promise<void | { skip: string }>} check
 * @returns {Promise<boolean>} whether it passed
 */
async function verify(name, check) {
  const started = performance.now();
  try {
    const result = await check();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (result) {
      outcomes.push({ name: `consumer ${name}`, state: "skipped", reason: result.skip });
      console.log(`- ${name}  skipped: ${result.skip}`);
    } else {
      outcomes.push({ name: `consumer ${name}`, state: "passed" });
      console.log(`✓ ${name}  ${seconds} s`);
    }
    return !result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    outcomes.push({ name: `consumer ${name}`, state: "failed", reason: message.split("\n", 1)[0] ?? "" });
    console.log(`✗ ${name}\n${message}`);
    return false;
  }
}

/** Package name -> tarball, of the packages that packed. @type {Map<string, string>} */
const tarballs = new Map();

/** @param {Member} member */
async function pack({ path, folder, manifest }) {
  if (!existsSync(join(path, "dist"))) throw new Error(`${folder}/dist is missing: npm run build first`);
  const tarball = join(scratch, `${manifest.name.replace("@", "").replace("/", "-")}.tgz`);
  const { code, output } = await run("pnpm", ["pack", "--out", tarball], { cwd: path });
  if (code !== 0) throw new Error(output);
  tarballs.set(manifest.name, tarball);
}

/**
 * A package's own tarball and those it depends on: nothing else of ours may be needed.
 * @param {Member} member
 * @returns {string[]}
 */
function tarballsFor({ manifest }) {
  const own = tarballs.get(manifest.name);
  if (own === undefined) throw new Error(`${manifest.name} did not pack`);
  const below = Object.keys(manifest.dependencies ?? {})
    .map((name) => packages.find((candidate) => candidate.manifest.name === name))
    .flatMap((member) => (member ? tarballsFor(member) : []));
  return [...new Set([own, ...below])];
}

/** @param {Member} member */
const optionalPeers = ({ manifest }) =>
  Object.entries(manifest.peerDependencies ?? {}).map(([name, range]) => `${name}@${range}`);

/**
 * Whether an entry's declarations take in those of an optional peer, which may speak of Node.
 * @param {Member} member @param {string} entry
 */
function declaresPeer({ manifest, path }, entry) {
  const target = manifest.exports?.[`.${entry.slice(manifest.name.length)}`];
  if (typeof target !== "object" || target === null || !("types" in target)) return false;
  const declarations = readFileSync(join(path, String(target.types)), "utf8");
  return Object.keys(manifest.peerDependencies ?? {}).some((name) => declarations.includes(`'${name}`));
}

/**
 * Whether an entry is made for an optional peer: it imports it at once, and is nothing without it.
 * @param {Member} member @param {string} entry
 */
function importsPeer({ manifest, path }, entry) {
  const target = manifest.exports?.[`.${entry.slice(manifest.name.length)}`];
  if (typeof target !== "object" || target === null || !("default" in target)) return false;
  const code = readFileSync(join(path, String(target.default)), "utf8");
  return Object.keys(manifest.peerDependencies ?? {}).some((name) => new RegExp(`from ["']${name}["'/]`).test(code));
}

/** @param {Member} member */
async function consumeAlone(member) {
  const { id, manifest } = member;
  const project = createProject(join(scratch, "alone", id));
  const installed = await verify(`${id}: installs alone`, () => install(project, tarballsFor(member)));
  if (!installed) return;
  const entries = entriesOf(manifest);
  const forPeers = entries.filter((entry) => importsPeer(member, entry));
  const ready = entries.filter((entry) => !forPeers.includes(entry));
  await verify(`${id}: every entry imports`, () => importEntries(project, ready));
  await verify(`${id}: every entry can be required`, () => requireEntries(project, ready));
  const peers = optionalPeers(member);
  if (peers.length > 0) {
    const program = join(root, "scripts/consumer", `${id}.without-peers.mjs`);
    await verify(`${id}: says what to install when ${peers.join(", ")} is absent`, () => runInside(project, program));
    await verify(`${id}: installs beside ${peers.join(", ")}`, () => install(project, peers));
  }
  if (forPeers.length > 0) {
    await verify(`${id}: ${forPeers.join(", ")} imports`, () => importEntries(project, forPeers));
    await verify(`${id}: ${forPeers.join(", ")} can be required`, () => requireEntries(project, forPeers));
  }
  const types = architecture[id]?.runsIn === "node" ? ["node"] : [];
  const example = join(root, "scripts/consumer", `${id}.ts`);
  const beside = types.length === 0 ? entries.filter((entry) => declaresPeer(member, entry)) : [];
  const alone = entries.filter((entry) => !beside.includes(entry));
  // Two compilers at a time, one for each way to resolve.
  const resolutions = /** @type {const} */ (["bundler", "nodenext"]);
  await Promise.all(
    resolutions.map((resolution) =>
      verify(`${id}: its declarations compile (${resolution})`, () =>
        compile(project, { entries: alone, resolution, types, example }),
      ),
    ),
  );
  if (beside.length > 0) {
    await Promise.all(
      resolutions.map((resolution) =>
        verify(`${id}: its declarations compile beside those of its peers (${resolution})`, () =>
          compile(project, { entries: beside, resolution, types: ["node"], example }),
        ),
      ),
    );
  }
  await verify(`${id}: a small program works`, () => runExample(project));
}

async function consumeInBrowser() {
  const forBrowsers = packages.filter(({ id }) => architecture[id]?.runsIn === "any");
  const ids = forBrowsers.map(({ id }) => id);
  const project = createProject(join(scratch, "browser"));
  const installed = await verify("browser: all packages install together", () =>
    install(project, [...new Set(forBrowsers.flatMap(tarballsFor))]),
  );
  if (!installed) return;
  if (!(await verify("browser: esbuild bundles all of them", () => bundleForBrowser(project, ids)))) return;
  await verify("browser: the programs work in Chromium", () => openInChromium(join(project, "web"), ids));
}

/** The programs of every README, and of every docs/guide-*.md, print what stands below them. */
async function consumeReadmes() {
  const project = createProject(join(scratch, "readmes"));
  const readmes = [
    { file: "README.md", folder: root },
    ...packages.map(({ folder, path }) => ({ file: `${folder}/README.md`, folder: path })),
    ...guides(),
  ]
    .filter(({ file }) => existsSync(join(root, file)))
    .map(({ file, folder }) => ({ file, folder, examples: readmeExamples(readFileSync(join(root, file), "utf8")) }));
  const others = readmes.flatMap(({ folder, examples }) =>
    examples.flatMap(({ program }) => thirdParty(folder, program)),
  );
  const installed = await verify("readmes: all packages install together", () =>
    install(project, [...new Set([...packages.flatMap(tarballsFor), ...packages.flatMap(optionalPeers), ...others])]),
  );
  if (!installed) return;
  for (const { file, examples } of readmes) {
    await verify(`${file} has a program with its output`, async () => {
      if (examples.length === 0) throw new Error("no ```ts program is followed by a ```text block of what it prints");
    });
    for (const example of examples) {
      await verify(`${file}:${example.line} prints what it says`, () => runReadmeExample(project, example));
    }
  }
}

/** `docs/guide-toolkit.md` is developed with what packages/toolkit is developed with. */
function guides() {
  return readdirSync(join(root, "docs"))
    .map((name) => ({ name, id: /^guide-(.+)\.md$/.exec(name)?.[1] }))
    .filter(({ id }) => id !== undefined)
    .map(({ name, id }) => ({
      file: `docs/${name}`,
      folder: packages.find((member) => member.id === id)?.path ?? root,
    }));
}

/**
 * What else a program imports, in the version that its package is developed with.
 * @param {string} folder
 * @param {string} program
 */
function thirdParty(folder, program) {
  return findImports("readme.ts", program)
    .map(({ specifier }) => packageOf(specifier))
    .filter((name) => !isBuiltin(name) && !packages.some(({ manifest }) => manifest.name === name))
    .map(
      (name) =>
        `${name}@${JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version}`,
    );
}

for (const member of packages) await verify(`${member.id}: packs`, () => pack(member));
for (const member of packages) if (tarballs.has(member.manifest.name)) await consumeAlone(member);
await consumeInBrowser();
await consumeReadmes();

if (process.env.TOOLGLOT_OUTCOMES) writeFileSync(process.env.TOOLGLOT_OUTCOMES, JSON.stringify(outcomes));
const totals = count(outcomes);
console.log(closingLine(totals));
process.exitCode = totals.failed > 0 ? 1 : 0;
if (process.env.KEEP) console.log(`kept: ${scratch}`);
else rmSync(scratch, { recursive: true, force: true });
