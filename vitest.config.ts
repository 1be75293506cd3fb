import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { bundledScript } from "./bundled-script.ts";

const root = import.meta.dirname;
// Tests run from sources: the `source` condition of each package's exports points at src/.
const conditions = ["source", "node", "development|production"];
const folders = [
  ...["packages", "apps"].flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`)),
  ...["conformance", "bench", "scripts"],
].filter((folder) => existsSync(join(root, folder, "test")));
/** Folders to begin with: a long file at the end would leave every other core with nothing to do. */
const longest = [
  "conformance",
  "packages/postgres",
  "packages/sqlite",
  "packages/local-tools",
  "apps/demo",
  "apps/cli",
  "packages/gateway",
  "packages/trp-mcp",
  "packages/toolkit",
];
const sandbox = "packages/sandbox";
/**
 * Guests live in UTC, wherever the host is. Interpreters start in a second of processor time, of which a busy machine gives a few
 * hundredths at a time.
 */
const guests = { env: { TZ: "Asia/Tokyo" }, testTimeout: 600_000, hookTimeout: 600_000 };
const all = ".test.ts";
/**
 * Each of these files has a process of its own: they count descriptors, threads, processes or memory, or change the time zone. All
 * others share a few processes: a fresh one for each costs more than they take.
 */
const apart = ".apart.test.ts";
/** These count leases or time: they run in the end, one after another. */
const timed = ".timed.test.ts";

const within = (folders: readonly string[], ending: string): string[] =>
  folders.map((folder) => `${folder}/test/**/*${ending}`);

/** Files that this run leaves out: those of scripts/lib/dear-tests.mjs. */
const leftOut = (process.env.TOOLGLOT_LEFT_OUT ?? "").split("\n").filter((file) => file !== "");
/** `node scripts/dear-tests.mjs` wants to know what each file costs. */
const setupFiles = process.env.TOOLGLOT_CPU_OF_FILES === undefined ? [] : [join(root, "scripts/lib/cpu-of-file.ts")];

const others = folders.filter((folder) => folder !== sandbox);
const inTheEnd = { maxWorkers: 1, sequence: { groupOrder: 1 } };

/** A few projects, not one for each folder: every project has a server, a transform and an import of the same modules. */
const projects = [
  {
    name: "apart",
    isolate: true,
    ...guests,
    include: within(folders, apart),
    exclude: [timed],
  },
  { name: "sandbox", ...guests, include: within([sandbox], all), exclude: [apart, timed] },
  { name: "shared", include: within(others, all), exclude: [apart, timed] },
  { name: "timed", isolate: true, ...guests, include: within(folders, timed), exclude: [], ...inTheEnd },
];

/** Vitest sorts files by size. A process that several files share lives as long as files of its project follow one another. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const place = longest.findIndex((folder) => moduleId.startsWith(join(root, folder, "/")));
      const before = projects.findIndex(({ name }) => name === project.name) * (longest.length + 1);
      return before + (place === -1 ? longest.length : place);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const fastCheck = join(root, "scripts/lib/fast-check.mjs");
/** Tests that import fast-check get it with a fixed seed. */
const fixedSeed: Plugin = {
  name: "fixed-seed",
  enforce: "pre",
  resolveId: (id, importer) => (id === "fast-check" && importer !== fastCheck ? fastCheck : undefined),
};

/** `import text from "./program.ts?script"`, as the builds have it. */
const scripts: Plugin = {
  name: "scripts",
  enforce: "pre",
  load: async (id) =>
    id.endsWith("?script")
      ? `export default ${JSON.stringify(await bundledScript(id.slice(0, -"?script".length)))}`
      : null,
  // Such a text changes with the files that are bundled into it: nothing of it is kept.
  configureVitest({ experimental_defineCacheKeyGenerator: define }) {
    define(({ id }) => (id.endsWith("?script") ? false : undefined));
  },
};

export default defineConfig({
  plugins: [fixedSeed, scripts],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Shells, servers and killed processes are waited for most of the time: more files than cores keep the cores at work.
    maxWorkers: availableParallelism() + 2,
    // What was transformed once is kept in node_modules, by its content.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: projects.map(({ exclude, ...options }) => ({
      extends: true as const,
      test: {
        isolate: false,
        testTimeout: 120_000,
        hookTimeout: 180_000,
        ...options,
        root,
        setupFiles,
        exclude: [...exclude.map((ending) => `**/*${ending}`), ...leftOut],
        // It has a `source` condition of its own, so it and its importers must be transformed like our sources.
        server: {
          deps: { inline: [/eventsource/, /@modelcontextprotocol[/+]client/, /@ai-sdk[/+]/, /node_modules\/ai\//] },
        },
      },
    })),
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**"],
      reporter: ["text-summary", "html"],
    },
  },
});
