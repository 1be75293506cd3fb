import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { ChangeRecord, LocalTools, UndoOutcome } from "@toolglot/local-tools";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import type { Host } from "../host.ts";
import { diffLines } from "../view/diff.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { chosenProject } from "./chosen-project.ts";
import { openLocal } from "./open-local.ts";

interface UndoOptions {
  list: boolean;
  json: boolean;
  dataDir?: string;
  project?: string;
}

/** Creates the subcommand `undo`: takes back what a model changed in the project, also after its process has ended. */
export function undoCommand(run: Run, host: Host): Command {
  return new Command(`${host.command} undo`)
    .description("takes back the last change that was made to the project's files, and shows what that did")
    .argument("[id]", "a change, as --list shows it (default: the newest that is not undone)")
    .option("--list", "show the changes, newest first, and undo none", false)
    .option("--json", "records as NDJSON", false)
    .option("--project <dir>", "the folder (default: this one)")
    .option("--data-dir <dir>", "where the changes are kept")
    .action((id: string | undefined, options: UndoOptions) => run(() => atProject(id, options, host)));
}

async function atProject(id: string | undefined, options: UndoOptions, host: Host): Promise<number> {
  const project = await chosenProject(options, host);
  if (!existsSync(project.stateDir)) {
    if (options.list) return list([], [], options, host);
    throw new Error("There is nothing to undo: nobody has worked on the project yet.");
  }
  const local = await openLocal(project, { commands: "ask", sandbox: "off" });
  try {
    const style = styleFor(host.stdout, host.env);
    for (const change of local.recovered) host.stderr.write(`Repaired: ${lineOf(change, local.roots, style)}\n`);
    return options.list
      ? list(await local.changes(), local.roots, options, host)
      : await undo(local, id, options, host);
  } finally {
    await local.close();
  }
}

async function undo(
  local: LocalTools,
  id: string | undefined,
  { json }: UndoOptions,
  { stdout, env }: Host,
): Promise<number> {
  const style = styleFor(stdout, env);
  const undone = await local.undo(id);
  const values = valuesOf(undone.id, await local.changes());
  if (json) {
    stdout.write(`${JSON.stringify(values.length === 0 ? undone : withoutDiffs(undone, values))}\n`);
    return exitCodes.answered;
  }
  const files = undone.files.flatMap(({ path, diff, removed }) => [
    `${removed ? "Removed" : "Restored"} ${style.accent(visible(path))}`,
    ...(values.length === 0 ? diffLines(diff, style).map((line) => `  ${line}`) : []),
  ]);
  if (values.length > 0) files.push(style.dim(hiddenBecause(values)));
  stdout.write(`${style.strong(`Undone: change ${undone.id}`)}\n${files.join("\n")}\n`);
  return exitCodes.answered;
}

/** Names of the values that stood in the files before a change or after it, as far as they were known when it was made. */
function valuesOf(id: string, changes: readonly ChangeRecord[]): string[] {
  const changed = changes.find((change) => change.id === id);
  const undid = changes.find((change) => change.id === changed?.undoes);
  const names = [changed, undid].flatMap((change) => [...(change?.values ?? []), ...(change?.writes ?? [])]);
  return [...new Set(names)].sort();
}

/** Values of the session that made the change are not known here, so nothing could hide them in a diff. */
function hiddenBecause(values: readonly string[]): string {
  return `The diff is not shown: the files held the value${values.length === 1 ? "" : "s"} of ${values.join(", ")}.`;
}

function withoutDiffs(undone: UndoOutcome, values: readonly string[]): object {
  const files = undone.files.map(({ path, removed }) => ({ path, removed }));
  return { ...undone, files, values };
}

function list(
  changes: readonly ChangeRecord[],
  roots: readonly string[],
  { json }: UndoOptions,
  { stdout, env }: Host,
): number {
  const style = styleFor(stdout, env);
  const lines = changes.map((change) => (json ? JSON.stringify(change) : lineOf(change, roots, style)));
  if (lines.length === 0 && !json) lines.push("No changes.");
  stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

function lineOf(
  { id, at, state, files, undoes, trouble = [] }: ChangeRecord,
  [root = ""]: readonly string[],
  style: Style,
): string {
  const time = new Date(at).toLocaleString("sv");
  const names = files.map(({ path, created, removed }) => {
    return `${created ? "+" : removed ? "-" : ""}${visible(relative(root, path))}`;
  });
  const what = undoes === undefined ? "" : ` undoes ${undoes}`;
  const paint = state === "done" ? style.good : state === "conflict" ? style.bad : style.dim;
  const more = trouble.map((sentence) => `\n    ${style.warn(visible(sentence))}`).join("");
  return `${style.accent(id)}  ${time}  ${paint(state)}${what}  ${names.join(", ")}${more}`;
}
