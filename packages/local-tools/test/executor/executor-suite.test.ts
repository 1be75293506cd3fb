import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type CallKind, describeExecutor } from "../../../core/test/executing/executor-suite.ts";
import { type LocalTools, localExecutor, openLocalTools } from "../../src/index.ts";

const opened: { local: LocalTools; folder: string }[] = [];
afterEach(async () => {
  for (const { local, folder } of opened.splice(0)) {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Calls of this machine's tools. Edits of files that often hold secrets are asked about. */
const calls: Partial<Record<CallKind, (n: number) => { name: string; input: unknown }>> = {
  read: () => ({ name: "read", input: { files: [{ src: "page.txt" }] } }),
  write: () => ({ name: "command", input: { script: "echo write >> effects.txt" } }),
  fail: () => ({ name: "read", input: { files: [{ src: "missing.txt" }] } }),
  guarded: (n) => ({
    name: "edit",
    input: { files: [{ src: `.env.${n}`, edits: [{ find: "no", replace: "guarded" }] }] },
  }),
  stuck: () => ({ name: "command", input: { script: "sleep 1000" } }),
};

describeExecutor(
  "localExecutor",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-suite-"));
    const root = join(folder, "root");
    mkdirSync(root);
    writeFileSync(join(root, "page.txt"), "read\n");
    for (const n of [0, 1]) writeFileSync(join(root, `.env.${n}`), "no\n");
    const local = await openLocalTools({ roots: root, stateDir: join(folder, "state") });
    opened.push({ local, folder });
    return {
      executor: localExecutor(local),
      otherInput: { files: [{ src: ".env.1", edits: [{ find: "no", replace: "guarded" }] }] },
      get effects() {
        return ["effects.txt", ".env.0", ".env.1"].flatMap((name) => {
          const text = existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : "no\n";
          return text === "no\n" ? [] : text.trim().split("\n");
        });
      },
      action: (kinds: readonly CallKind[]) => ({
        kind: "calls" as const,
        calls: kinds.map((kind, n) => {
          const call = calls[kind]?.(n);
          if (call === undefined) throw new Error(`there is no call of the kind ${kind}`);
          return { id: `c${n}`, ...call, protocol: "toolsxml" };
        }),
        span: { start: 0, end: 0 },
      }),
    };
  },
  {
    without: {
      stream: "no tool of this machine yields values",
      generator: "no tool of this machine yields values",
      outside: "its tools are of this machine",
    },
    noData: "results of this machine are texts",
  },
);
