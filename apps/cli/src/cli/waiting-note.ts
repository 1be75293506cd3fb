import type { RunResult } from "@toolglot/agent";
import type { Words } from "../words/index.ts";
import type { CliOptions } from "./options.ts";

/** Returns what a person should know of a program that waits: who decides how, and how to resume it. */
export function waitingNote(
  { results }: Pick<RunResult, "results">,
  { options, words, host: { command } }: { options: CliOptions; words: Words; host: { command: string } },
): string | undefined {
  const parked = results.findLast(({ metadata }) => metadata?.program !== undefined)?.metadata;
  if (parked === undefined) return undefined;
  const { waiting } = parked.parked as { waiting: { name: string; reason: string }[] };
  const ids = waiting.flatMap(({ reason }) => [...reason.matchAll(/Request (\S+) waits/g)].map(([, id = ""]) => id));
  const folder = options.dataDir === undefined ? "" : ` --data-dir ${options.dataDir}`;
  const router = options.router === undefined ? "" : ` --router ${options.router}`;
  const url = options.router === undefined ? "" : ` --url ${options.router.replace(/^ws/, "http")}`;
  const names = [...new Set(waiting.map(({ name }) => name))].join(", ");
  const approve = ids.map((id) => `  ${command} approvals approve ${id}${url}${folder}`);
  const goOn = `  ${command} resume ${String(parked.program)}${router}${folder}`;
  return `${words.programs.waits(names)}\n${[...approve, goOn].join("\n")}`;
}
