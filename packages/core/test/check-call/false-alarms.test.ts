import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { expect, it } from "vitest";
import { checkCall } from "../../src/check-call-layer.ts";

// Files that people wrote, about markup and in markup, as the argument of a tool that lacks many others.

const kinds = [
  ".xml",
  ".html",
  ".svg",
  ".md",
  ".json",
  ".ts",
  ".tsx",
  ".js",
  ".cjs",
  ".mjs",
  ".vue",
  ".svelte",
  ".hbs",
  ".ejs",
  ".yml",
  ".css",
  ".sh",
  ".txt",
  ".snap",
  ".map",
];
const most = 350;

/** Files of each kind in the dependencies of this repository, by name. */
function filesIn(folder: string, counts = new Map<string, number>(), found: string[] = []): string[] {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesIn(path, counts, found);
    const kind = extname(entry.name);
    const count = counts.get(kind) ?? 0;
    if (!entry.isFile() || !kinds.includes(kind) || count >= most) continue;
    counts.set(kind, count + 1);
    found.push(path);
  }
  return found;
}

it("raises no false alarm over files of the dependencies, as they are and without their ends", () => {
  const properties = Object.fromEntries(
    "path content name value title type text command url id key old new version body head data parameter license author main end sep"
      .split(" ")
      .map((key) => [key, {}]),
  );
  const tool = { name: "write_file", inputSchema: { type: "object" as const, properties } };
  const alarms: string[] = [];
  const files = filesIn(realpathSync(new URL("../../../../node_modules/.pnpm", import.meta.url)));
  for (const path of files) {
    const content = readFileSync(path, "utf8").slice(0, 300_000);
    for (const text of [content, content.slice(0, content.length / 2)])
      for (const { code, at = 0 } of checkCall({ name: "write_file", input: { content: text } }, tool))
        alarms.push(`${path} ${code} ${JSON.stringify(text.slice(at, at + 60))}`);
  }
  expect(alarms).toEqual([]);
  expect(files.length).toBeGreaterThanOrEqual(2000);
}, 60_000);
