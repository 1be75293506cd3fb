// Keeps packages/*/etc/*.api.md, the written-down public API of every entry point, in step with the build.
// Check: node scripts/api-reports.mjs    Update after a wanted change: npm run api:update
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import { publicPackages, root } from "./lib/workspace.mjs";

const update = process.argv.includes("--update");
const base = ExtractorConfig.loadFile(join(root, "api-extractor.base.json"));
let wrong = 0;

/** @param {string} line */
const fail = (line) => {
  wrong += 1;
  console.log(`✗ ${line}`);
};

/** Entries that a script writes alike, one for each row of a table: the first stands for all. */
const isAlike = (/** @type {string} */ types) => types.startsWith("./dist/only/");

/**
 * Subpath and declaration file of every entry that has types.
 * @param {import("./lib/workspace.mjs").Manifest} manifest
 * @returns {[string, string][]}
 */
const typedEntries = ({ exports = {} }) => {
  const typed = Object.entries(exports).flatMap(
    /** @returns {[string, string][]} */ ([subpath, target]) =>
      typeof target === "object" && target !== null && "types" in target ? [[subpath, String(target.types)]] : [],
  );
  const alike = typed.find(([, types]) => isAlike(types));
  return typed.filter((entry) => entry === alike || !isAlike(entry[1]));
};

const typescriptCompilerFolder = join(root, "node_modules/typescript");
const members = publicPackages().map((member) => {
  const typed = typedEntries(member.manifest);
  const entries = typed.map(([subpath, types]) => {
    const name = `${member.id}${subpath.slice(1).replaceAll("/", ".")}.api.md`;
    const entry = join(member.path, types);
    return {
      name,
      entry,
      where: relative(root, join(member.path, "etc", name)),
      config: configOf(member, name, entry),
    };
  });
  return { member, entries };
});

/** @param {import("./lib/workspace.mjs").Member} member @param {string} name @param {string} entry */
function configOf(member, name, entry) {
  if (!existsSync(entry)) return undefined;
  mkdirSync(join(member.path, "etc"), { recursive: true });
  return ExtractorConfig.prepare({
    configObject: {
      ...base,
      projectFolder: member.path,
      mainEntryPointFilePath: entry,
      apiReport: { ...base.apiReport, enabled: true, reportFileName: name },
    },
    configObjectFullPath: join(member.path, "api-extractor.json"),
    packageJsonFullPath: join(member.path, "package.json"),
  });
}

// All entries in one program: most of what each is made of is the same.
const [first, ...others] = members.flatMap(({ entries }) => entries.flatMap(({ config }) => config ?? []));
const compilerState =
  first &&
  CompilerState.create(first, {
    additionalEntryPoints: others.map((config) => config.mainEntryPointFilePath),
    typescriptCompilerFolder,
  });

for (const { member, entries } of members) {
  const expected = new Set(entries.map(({ name }) => name));
  for (const { entry, where, config } of entries) {
    if (!config || !compilerState) {
      fail(`${where}: ${relative(root, entry)} is missing, build first (npm run build)`);
      continue;
    }
    const before = existsSync(join(root, where)) ? readFileSync(join(root, where), "utf8") : undefined;
    /** @type {string[]} */
    const messages = [];
    const result = Extractor.invoke(config, {
      compilerState,
      localBuild: update,
      typescriptCompilerFolder,
      messageCallback: (message) => {
        message.handled = true;
        if (message.logLevel !== "error" && message.logLevel !== "warning") return;
        // That the report differs is said below, in our words.
        if (message.messageId.startsWith("console-api-report")) return;
        // API Extractor knows one entry per package; a link to another entry's export is not dead.
        if (message.messageId === "ae-unresolved-link" && entries.length > 1) return;
        messages.push(message.text);
      },
    });
    if (messages.length > 0) fail(`${where}:\n    ${messages.join("\n    ")}`);
    else if (result.apiReportChanged && !update) {
      fail(`${where}: the public API ${before === undefined ? "has no report yet" : "is not what the report says"}`);
    } else console.log(`✓ ${where}${result.apiReportChanged ? " updated" : ""}`);
  }
  const reports = existsSync(join(member.path, "etc")) ? readdirSync(join(member.path, "etc")) : [];
  for (const stale of reports.filter((name) => name.endsWith(".api.md") && !expected.has(name))) {
    if (update) rmSync(join(member.path, "etc", stale));
    else fail(`packages/${member.id}/etc/${stale}: no entry point of this name`);
  }
}
if (wrong > 0 && !update) {
  console.log(
    "\nIf the change is wanted: npm run build && npm run api:update, look at the diff, commit it with a changeset.",
  );
}
process.exitCode = wrong > 0 ? 1 : 0;
