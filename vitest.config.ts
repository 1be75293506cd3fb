import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = import.meta.dirname;
// Tests run from sources: the `source` condition of each package's exports points at src/.
const conditions = ["source", "node", "development|production"];
const members = ["packages", "apps"].flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`));
/** Projects to begin with: a long file at the end would leave every other core with nothing to do. */
const longest = ["trp-sqlite", "local-tools", "sandbox", "demo"];
/**
 * Each of their test files gets a process of its own: they count descriptors, threads and processes, mock modules, or change the
 * environment. All other files share a few processes: a fresh one for each costs more than they take.
 */
const apart = ["bench", "scripts", "trp-sqlite"];

/** Vitest goes through projects by name, and through the files of each by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number =>
      longest.includes(project.name) ? longest.indexOf(project.name) : longest.length;
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

export default defineConfig({
  plugins: [fixedSeed],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Shells, servers and killed processes are waited for most of the time: more files than cores keep the cores at work.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [...members, "conformance", "bench", "scripts"]
      .filter((folder) => existsSync(join(root, folder, "test")))
      .map((folder) => ({
        extends: true as const,
        test: {
          // `npx vitest run --project attp`: the folder's last part.
          name: folder.split("/").at(-1) ?? folder,
          isolate: apart.includes(folder.split("/").at(-1) ?? folder),
          root,
          include: [`${folder}/test/**/*.test.ts`],
          // Guests live in UTC, wherever the host is.
          ...(folder === "packages/sandbox" && { env: { TZ: "Asia/Tokyo" } }),
          // Interpreters start in a second of processor time, of which a busy machine gives a few hundredths at a time.
          testTimeout: folder === "packages/sandbox" ? 600_000 : 120_000,
          hookTimeout: folder === "packages/sandbox" ? 600_000 : 180_000,
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
