import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";

// Every built-in function that programs find, called with ordinary arguments, gives what it gives in Node, or is an error. What does
// neither stands in the document, by its path.
const document = new URL("../../../../docs/sandbox-javascript-differences.md", import.meta.url);
const probe = readFileSync(new URL("./probe-builtins.js", import.meta.url), "utf8")
  .replace(/^\/\/.*\n/gm, "")
  .replace(/;\s*$/, "");
const sandbox = createSandbox({
  language: "javascript",
  limits: { timeoutMs: 60_000, maxResultBytes: 16_000_000, memoryMb: 512 },
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function inside<Value>(expression: string): Promise<Value> {
  const run = await sandbox.run(`return ${expression}`);
  expect(run.status === "error" ? run.error : undefined).toBe(undefined);
  return (run as { value: Value }).value;
}

/** What the probe finds in a Node that has begun in UTC: in one whose zone is changed, V8's dates have been seen to answer wrongly. */
function inNode(paths: readonly string[]): Record<string, string[]> {
  const script = `process.stdout.write(JSON.stringify((${probe})([], ${JSON.stringify(paths)})))`;
  const options = {
    env: { ...process.env, TZ: "UTC", NODE_OPTIONS: "" },
    maxBuffer: 1 << 26,
    encoding: "utf8",
  } as const;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], options)) as Record<string, string[]>;
}

it("should give what Node gives, or an error, or stand in the document", async () => {
  const paths = await inside<string[]>(`(${probe})(Object.getOwnPropertyNames(globalThis))`);
  expect(paths.length).toBeGreaterThan(400);
  const different = new Map<string, string>();
  for (let at = 0; at < paths.length; at += 100) {
    const part = paths.slice(at, at + 100);
    const ours = await inside<Record<string, string[] | undefined>>(`(${probe})([], ${JSON.stringify(part)})`);
    const theirs = inNode(part);
    for (const path of part) {
      const index =
        ours[path]?.findIndex(
          (said, index) => theirs[path] && !said.endsWith(" throws") && said !== theirs[path][index],
        ) ?? -1;
      if (index >= 0) different.set(path, `\`${ours[path]?.[index]}\`, Node: \`${theirs[path]?.[index]}\``);
    }
  }
  const text = readFileSync(document, "utf8");
  const listed = new Set([...text.matchAll(/^- `([^`]+)`:/gm)].map(([, path]) => path));
  const unlisted = [...different].filter(([path]) => !listed.has(path));
  if (process.env.UPDATE_DOCS)
    writeFileSync("/tmp/differences.txt", unlisted.map(([path, said]) => `- \`${path}\`: ${said}`).join("\n"));
  expect(Object.fromEntries(unlisted)).toEqual({});
  // Another version of Node has other faults.
  if (process.versions.node.startsWith("20."))
    expect([...listed].filter((path) => !different.has(path as string))).toEqual([]);
});

it.each([
  "2 January 2024",
  "2024/01/02",
  "01/02/2024",
  "1/2/2024, 3:04:05 PM",
  "Tue, 02 Jan 2024 03:04:05 GMT",
  "2024-01-02T03:04",
  "2024-01-02 03:04:05",
  "2024-01",
  "2024-01-02T03:04:05.678+01:00",
  "Tue Jan 02 2024 03:04:05 GMT+0100 (CET)",
  "January 2, 2024",
  "not a date",
])("should read the date %j as Node does", async (text) => {
  expect(await inside(`Date.parse(${JSON.stringify(text)})`)).toBe(
    Number.isNaN(Date.parse(`${text} UTC`)) && text === "not a date" ? null : inUtc(text),
  );
});

/** What Node reads where the time zone is UTC. */
function inUtc(text: string): number {
  const zone = process.env.TZ;
  process.env.TZ = "UTC";
  const time = Date.parse(text);
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  return time;
}
