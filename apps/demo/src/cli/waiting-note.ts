import type { RunResult } from "@toolglot/agent";
import type { DemoOptions } from "./options.ts";
import { wordsFor } from "./words.ts";

/** What a person is told about a program that waits: who decides how, and how to go on. */
export function waitingNote({ results }: Pick<RunResult, "results">, options: DemoOptions): string | undefined {
  const parked = results.findLast(({ metadata }) => metadata?.program !== undefined)?.metadata;
  if (parked === undefined) return undefined;
  const { waiting } = parked.parked as { waiting: { name: string; reason: string }[] };
  const ids = waiting.flatMap(({ reason }) => [...reason.matchAll(/Request (\S+) waits/g)].map(([, id = ""]) => id));
  const folder = options.dataDir === undefined ? "" : ` --data-dir ${options.dataDir}`;
  const router = options.router === undefined ? "" : ` --router ${options.router}`;
  const url = options.router === undefined ? "" : ` --url ${options.router.replace(/^ws/, "http")}`;
  const names = [...new Set(waiting.map(({ name }) => name))].join(", ");
  const approve = ids.map((id) => `  npm run demo -- approvals approve ${id}${url}${folder}`);
  const goOn = `  npm run demo -- resume ${String(parked.program)}${router}${folder}`;
  return `${wordsFor(options.lang).programs.waits(names)}\n${[...approve, goOn].join("\n")}`;
}
