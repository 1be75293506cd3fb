import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

// Tests run from sources: the `source` condition of each package's exports points at src/.
const conditions = ["source", "module", "node", "development|production"];
const members = ["packages", "apps"].flatMap((top) => readdirSync(top).map((name) => `${top}/${name}`));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [...members, "conformance", "scripts"].map((dir) => ({
      extends: true as const,
      test: { name: dir.replace(/^packages\//, ""), include: [`${dir}/test/**/*.test.ts`], testTimeout: 20_000 },
    })),
  },
});
