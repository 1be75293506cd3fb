// Packs every public package and uses the tarballs as a stranger would, in empty projects outside the repository.
// Needs a build. KEEP=1 keeps the projects. Results go to TOOLGLOT_OUTCOMES when `npm test` asks for them.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { architecture } from "./lib/architecture.mjs";
import { packageOf } from "./lib/arrows.mjs";
import { createChecks } from "./lib/checks.mjs";
import { openInChromium } from "./lib/chromium.mjs";
import {
  bundleForBrowser,
  compile,
  compileFolders,
  compileForPrevious,
  compileReadmes,
  createProject,
  entriesOf,
  importEntries,
  inShell,
  install,
  megabytesOf,
  requireEntries,
  runCompiled,
  runExample,
  runInside,
  runReadmeExample,
} from "./lib/consumer-project.mjs";
import { examples, packagesImportedBy, shownExamples } from "./lib/examples.mjs";
import { findImports } from "./lib/imports.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { postgresForTests } from "./lib/postgres.mjs";
import { packagesToInstall, readmeExamples } from "./lib/readme-examples.mjs";
import { createTarballs, optionalPeers } from "./lib/tarballs.mjs";
import { root, workspaceMembers } from "./lib/workspace.mjs";

/** @typedef {import("./lib/workspace.mjs").Member} Member */

const scratch = mkdtempSync(join(tmpdir(), "toolglot-consumer-"));
const { packages, packed, pack, tarballsFor, peersFor } = createTarballs(scratch);
const requireAll = process.env.TOOLGLOT_REQUIRE_ALL === "1";
const { verify, skip, finish } = createChecks("consumer");

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
  return Object.keys(manifest.peerDependenciesMeta ?? {}).some((name) =>
    new RegExp(`from ["']${name}["'/]`).test(code),
  );
}

/**
 * Many packages are asked about at once, as a bundler resolves them: TypeScript 6 takes seconds for what every program has in common.
 * @param {string} title @param {string} project
 * @param {readonly Member[]} members
 * @param {{ types: string[], without?: (member: Member, entry: string) => boolean }} options
 */
async function askPrevious(title, project, members, { types, without }) {
  if (!requireAll) {
    skip(`${title}: TypeScript 6 compiles all declarations`, "left to .ci/run");
    return;
  }
  const entries = members.flatMap((member) =>
    entriesOf(member.manifest).filter((entry) => without?.(member, entry) !== true),
  );
  await verify(`${title}: TypeScript 6 compiles all declarations`, () =>
    compileForPrevious(project, { entries, types, ids: members.map(({ id }) => id) }),
  );
}

/** @param {Member} member */
async function consumeAlone(member) {
  const { id, manifest } = member;
  const project = createProject(join(scratch, "alone", id));
  const example = join(root, "scripts/consumer", `${id}.ts`);
  // What the program imports by itself, of what the package needs too: with pnpm it has to say so.
  const others = importedPackages(readFileSync(example, "utf8")).filter(
    (name) => name in (manifest.dependencies ?? {}),
  );
  const installed = await verify(`${id}: installs alone`, () =>
    install(project, [...tarballsFor(member), ...thirdParty(member.path, others)]),
  );
  if (!installed) return;
  const { installedMb } = architecture[id] ?? {};
  if (installedMb !== undefined) {
    await verify(`${id}: takes at most ${installedMb} MB`, async () => {
      const taken = megabytesOf(project);
      if (taken > installedMb) throw new Error(`it takes ${taken.toFixed(1)} MB`);
    });
  }
  const entries = entriesOf(manifest);
  const forPeers = entries.filter((entry) => importsPeer(member, entry));
  const ready = entries.filter((entry) => !forPeers.includes(entry));
  await verify(`${id}: every entry imports`, () => importEntries(project, ready));
  await verify(`${id}: every entry can be required`, () => requireEntries(project, ready));
  const peers = optionalPeers(member);
  if (peers.length > 0) {
    const program = join(root, "scripts/consumer", `${id}.without-peers.mjs`);
    await verify(`${id}: says what to install when ${peers.join(", ")} is absent`, () => runInside(project, program));
    await verify(`${id}: installs beside ${peers.join(", ")}`, () => install(project, peersFor(member)));
  }
  if (forPeers.length > 0) {
    await verify(`${id}: ${forPeers.join(", ")} imports`, () => importEntries(project, forPeers));
    await verify(`${id}: ${forPeers.join(", ")} can be required`, () => requireEntries(project, forPeers));
  }
  const row = architecture[id];
  const types = row?.runsIn === "node" || row?.rootNeedsNode ? ["node"] : [];
  const beside = types.length === 0 ? entries.filter((entry) => declaresPeer(member, entry)) : [];
  const alone = entries.filter((entry) => !beside.includes(entry));
  await verify(`${id}: its declarations compile`, () => compile(project, { entries: alone, types, example }));
  if (beside.length > 0) {
    await verify(`${id}: its declarations compile beside those of its peers`, () =>
      compile(project, { entries: beside, types: ["node"], example }),
    );
  }
  await verify(`${id}: a small program works`, () => runExample(project));
}

async function consumeInBrowser() {
  const forBrowsers = packages.filter(({ id }) => {
    const row = architecture[id];
    return row?.runsIn === "any" && !row.rootNeedsNode;
  });
  const ids = forBrowsers.map(({ id }) => id);
  const project = createProject(join(scratch, "browser"));
  const installed = await verify("browser: all packages install together", () =>
    install(project, [...new Set(forBrowsers.flatMap(tarballsFor))]),
  );
  if (!installed) return;
  await askPrevious("browser", project, forBrowsers, { types: [], without: declaresPeer });
  if (!(await verify("browser: esbuild bundles all of them", () => bundleForBrowser(project, ids)))) return;
  await verify("browser: the programs work in Chromium", () => openInChromium(join(project, "web"), ids));
}

/** The programs of every README, of every docs/guide-*.md, and of pages that say so, print what stands below them. */
async function consumeReadmes() {
  const project = createProject(join(scratch, "readmes"));
  const readmes = [
    { file: "README.md", folder: root },
    ...packages.map(({ folder, path }) => ({ file: `${folder}/README.md`, folder: path })),
    ...guides(),
  ]
    .filter(({ file }) => existsSync(join(root, file)))
    .map(({ file, folder }) => ({ file, folder, text: readFileSync(join(root, file), "utf8") }))
    .map((page) => ({ ...page, examples: readmeExamples(page.text) }));
  const others = readmes.flatMap(({ folder, text, examples }) => {
    // A program may start what the page has its reader install.
    const started = [...packagesToInstall(text)].filter((name) => existsSync(join(folder, "node_modules", name)));
    return thirdParty(folder, [...examples.flatMap(({ program }) => importedPackages(program)), ...started]);
  });
  const installed = await verify("readmes: all packages install together", () =>
    install(project, [...new Set([...packages.flatMap(tarballsFor), ...packages.flatMap(peersFor), ...others])]),
  );
  if (!installed) return;
  await askPrevious("readmes", project, packages, { types: ["node"] });
  const all = readmes.flatMap(({ file, examples }) => examples.map((example) => ({ file, example })));
  /** @type {Map<number, string>} */
  let faults = new Map();
  const compiled = await verify("readmes: all programs go through the compiler", async () => {
    faults = await compileReadmes(
      project,
      all.map(({ example }) => example),
    );
  });
  if (!compiled) return;
  for (const { file, text, examples } of readmes) {
    await verify(`${file} lists every package that its programs import`, async () => {
      const listed = packagesToInstall(text);
      const absent = examples.flatMap(({ program }) => importedPackages(program)).filter((name) => !listed.has(name));
      if (absent.length > 0) throw new Error(`its "npm install …" lacks ${[...new Set(absent)].join(", ")}`);
    });
    await verify(`${file} has a program with its output`, async () => {
      if (examples.length === 0) throw new Error("no ```ts program is followed by a ```text block of what it prints");
    });
  }
  await inPairs([...all.entries()], async ([index, { file, example }]) => {
    if (noPostgres && example.program.includes("DATABASE_URL")) return skip(`${file}:${example.line}`, noPostgres);
    await verify(`${file}:${example.line} prints what it says`, async () => {
      const fault = faults.get(index);
      if (fault !== undefined) throw new Error(`it does not compile\n${fault}`);
      await runReadmeExample(project, index, example.output);
    });
  });
}

/**
 * Each program of a folder of examples runs with the dependencies of its package.json. It checks itself, and prints what a page says.
 * @param {string} title
 * @param {string[]} folders Below `examples`; the root of it is "".
 */
async function consumeExamples(title, folders) {
  const found = examples().filter(({ name }) => folders.includes(name.split("/").slice(0, -1).join("/")));
  const overrides = Object.assign({}, ...found.map((each) => each.overrides));
  const project = createProject(join(scratch, title.replace("/", "-")), overrides);
  const others = found.flatMap(({ dependencies }) =>
    Object.entries(dependencies)
      .filter(([name]) => !packages.some(({ manifest }) => manifest.name === name))
      .map(([name, range]) => `${name}@${range}`),
  );
  const installed = await verify(`${title}: all packages install together`, () =>
    install(project, [...new Set([...packages.flatMap(tarballsFor), ...others])]),
  );
  if (!installed) return;
  const isTyped = found.some(({ programs }) => programs.some((name) => name.endsWith(".ts")));
  const typed = folders.map((folder) => `examples/${folder}`);
  if (isTyped && !(await verify(`${title}: all compile`, () => compileFolders(project, typed)))) return;
  const shown = shownExamples();
  for (const { name, path, dependencies, programs } of found)
    for (const program of programs) {
      const file = `examples/${name}/${program}`;
      await verify(`${file} does what it says`, async () => {
        const absent = packagesImportedBy(join(path, program)).filter((used) => !(used in dependencies));
        if (absent.length > 0) throw new Error(`its package.json lacks ${[...new Set(absent)].join(", ")}`);
        // Some have files beside them.
        if (!program.endsWith(".ts")) {
          cpSync(path, project, { recursive: true, filter: (from) => basename(from) !== "package.json" });
          return runInside(project, join(path, program));
        }
        const printed = await runCompiled(project, file);
        const output = shown.find((each) => each.file === file)?.output;
        if (output !== undefined && printed.trimEnd() !== output.trimEnd())
          throw new Error(`it prints\n${printed}\nbut its page says\n${output}`);
      });
    }
}

/** What every "Install" says for as long as no registry has the packages, and how examples/README.md runs an example, word by word. */
async function consumeAsNewcomer() {
  if (!requireAll) {
    skip("newcomer: the commands of README.md work", "left to .ci/run");
    return;
  }
  const project = createProject(join(scratch, "newcomer"));
  const tarballs = join(scratch, "packed");
  const commands = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/`(npm [^`]*\.\.\/packed[^`]*)`/g)];
  await verify("newcomer: the commands of README.md work", async () => {
    if (commands.length !== 2) throw new Error("README.md has other commands than to pack and to install");
    for (const [at, [, command = ""]] of commands.entries())
      await inShell(at === 0 ? root : project, command.replace("../packed", tarballs));
    await importEntries(
      project,
      packages.flatMap(({ manifest }) => manifest.name),
    );
  });
  const [, example = ""] =
    /```sh\n(npm run example .*)\n/.exec(readFileSync(join(root, "examples/README.md"), "utf8")) ?? [];
  await verify("newcomer: the command of examples/README.md works", async () => {
    await inShell(root, example);
  });
}

/** The programs for other frameworks, of which some are large. */
async function consumeRecipes() {
  if (requireAll) await consumeExamples("examples/recipes", ["recipes", "coming-from"]);
  else skip("examples/recipes: they do what they say", "left to .ci/run");
}

/** `docs/guide-toolkit.md` is developed with what packages/toolkit is developed with, and so are guides that a package stands for. */
function guides() {
  return readdirSync(join(root, "docs"))
    .filter((name) => name.startsWith("guide-") || saysSo(name))
    .map((name) => ({ name, id: /^guide-(.+)\.md$/.exec(name)?.[1] }))
    .map(({ name, id }) => ({
      file: `docs/${name}`,
      folder: packages.find((member) => member.id === id)?.path ?? root,
    }));
}

/** Whether a page says that its programs are run. @param {string} name */
const saysSo = (name) =>
  name.endsWith(".md") &&
  readFileSync(join(root, "docs", name), "utf8").includes("The checks of this repository run the program");

/** @param {string} program */
const importedPackages = (program) =>
  findImports("readme.ts", program)
    .map(({ specifier }) => packageOf(specifier))
    .filter((name) => !isBuiltin(name));

/**
 * What is needed from npm, in the version that a package is developed with, or else any package of the repository.
 * @param {string} folder
 * @param {string[]} names
 */
function thirdParty(folder, names) {
  const places = [folder, ...workspaceMembers().map(({ path }) => path)];
  return names
    .filter((name) => !packages.some(({ manifest }) => manifest.name === name))
    .map((name) => {
      const manifests = places.map((place) => join(place, "node_modules", name, "package.json"));
      const manifest = manifests.find((file) => existsSync(file));
      if (manifest === undefined) throw new Error(`no package of the repository is developed with ${name}`);
      return `${name}@${JSON.parse(readFileSync(manifest, "utf8")).version}`;
    });
}

for (const member of packages) {
  await verify(`${member.id}: packs`, async () => {
    await pack(member);
  });
}
const usable = packages.filter(({ manifest }) => packed.has(manifest.name));
const { url: postgresUrl, skip: noPostgres } = await postgresForTests();
if (noPostgres) skip("postgres: a small program works on a server", noPostgres);
else Object.assign(process.env, { TOOLGLOT_POSTGRES_URL: postgresUrl, DATABASE_URL: postgresUrl });
// The longest first.
await inPairs(
  [
    consumeReadmes,
    consumeRecipes,
    ...usable.map((member) => () => consumeAlone(member)),
    () => consumeExamples("examples", [""]),
    consumeAsNewcomer,
    consumeInBrowser,
  ],
  (each) => each(),
);

finish();
if (process.env.KEEP) console.log(`kept: ${scratch}`);
else rmSync(scratch, { recursive: true, force: true });
