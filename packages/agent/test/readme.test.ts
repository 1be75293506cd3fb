import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

it("should show in the README what its example really prints", async () => {
  const lines: string[] = [];
  const { formatWithOptions } = await import("node:util");
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    lines.push(formatWithOptions({ colors: false }, ...values));
  });
  await import("./readme-example.ts");
  log.mockRestore();
  const readme = read("../README.md");
  expect(readme).toContain(
    `\`\`\`ts\n${read("./readme-example.ts")}\`\`\`\n\nprints\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\``,
  );
});
