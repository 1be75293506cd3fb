// The gates of `npm test`, in order: what runs, and what it answers for.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { machine } from "./processor.mjs";
import { root } from "./workspace.mjs";

/**
 * @typedef {object} Gate
 * @property {string} id For `npm test -- --only id`.
 * @property {string} what What a pass means, in one line.
 * @property {string[]} command
 * @property {boolean} [counts] It writes outcomes to TOOLGLOT_OUTCOMES: its tests are counted one by one.
 * @property {boolean} [stream] Long: show the output as it comes.
 * @property {"first" | "last"} [alone] It measures time, or all others need what it makes: nothing stands beside it.
 * @property {boolean} [tests] Runs tests of its own. What stands beside it has a lower priority.
 * @property {string} cure What to run or read when it fails.
 */

const node = process.execPath;
/** @type {Record<string, Record<string, { time?: number }>>} */
const { [machine()]: recorded = {} } = JSON.parse(readFileSync(join(root, "bench/costs.json"), "utf8")).scopes;
/** Whether time is compared: elsewhere costs are only counted, which a busy machine doesn't change. */
const isTimed = Object.values(recorded).some(({ time }) => time !== undefined);
const vitest = ["vitest", "run", "--reporter=default", "--reporter=./scripts/lib/count-reporter.mjs"];

/** @type {Gate[]} */
export const gates = [
  {
    id: "build",
    what: "every package builds, with declarations",
    command: [node, "scripts/build.mjs"],
    stream: true,
    alone: "first",
    cure: "npm run build",
  },
  {
    id: "types",
    what: "sources, tests and scripts compile",
    command: [node, "scripts/typecheck.mjs"],
    cure: "node scripts/typecheck.mjs packages/<name>",
  },
  {
    id: "biome",
    what: "formatting and lint",
    command: [
      "biome",
      "ci",
      "--colors=off",
      "--diagnostic-level=warn",
      "--error-on-warnings",
      "--max-diagnostics=40",
      ".",
    ],
    cure: "npm run lint:fix",
  },
  {
    id: "arrows",
    what: "imports follow the table of packages, and never go in a circle",
    command: [node, "scripts/check-arrows.mjs"],
    cure: "each line above names its cure; docs/architecture.md says why",
  },
  {
    id: "knip",
    what: "no unused file, export or dependency",
    command: ["knip", "--no-progress"],
    cure: "remove what is named, or import it where it's needed",
  },
  {
    id: "changesets",
    what: "the changesets name real packages",
    command: [node, "scripts/check-changesets.mjs"],
    cure: "npx changeset",
  },
  {
    id: "packages",
    what: "publint and attw accept every package",
    command: [node, "scripts/check-packages.mjs"],
    counts: true,
    cure: "node scripts/check-packages.mjs",
  },
  {
    id: "api",
    what: "the public API is what packages/*/etc/*.api.md say",
    command: [node, "scripts/api-reports.mjs"],
    cure: "if the change is wanted: npm run build && npm run api:update, then read the diff",
  },
  {
    id: "size",
    what: "bundles are within their gzipped budgets",
    command: ["size-limit"],
    cure: "npm run size -- --why, or argue for a larger budget in .size-limit.json",
  },
  {
    id: "release",
    what: "a release of the last commit would work, up to the upload",
    command: [node, "scripts/release.mjs", "rehearse"],
    counts: true,
    cure: "node scripts/release.mjs rehearse",
  },
  {
    id: "costs",
    what: "no unit of work costs more than bench/costs.json says",
    command: [node, "bench/run.mjs", "costs"],
    stream: true,
    ...(isTimed && { alone: /** @type {const} */ ("first") }),
    cure: 'mend it, or say why: npm run costs:update -- "why it costs more"',
  },
  {
    id: "tests",
    what: "unit, property and conformance tests",
    command: [...vitest, "--project=!timed"],
    tests: true,
    counts: true,
    stream: true,
    cure: "npx vitest run packages/<name>",
  },
  {
    id: "consumer",
    what: "the packed tarballs work in a stranger's project",
    command: [node, "scripts/pack-consumer.mjs"],
    counts: true,
    stream: true,
    cure: "KEEP=1 npm run test:pack, then look into the folder it names",
  },
  {
    id: "runtimes",
    what: "the tarballs work on every runtime that README.md names, and the sandbox locks its interpreters in",
    command: [node, "scripts/runtimes.mjs"],
    counts: true,
    stream: true,
    cure: "node scripts/runtimes.mjs 22",
  },
  {
    id: "timed",
    what: "tests that count leases or time",
    command: [...vitest, "--project=timed"],
    tests: true,
    counts: true,
    stream: true,
    alone: "last",
    cure: "npx vitest run --project timed",
  },
];
