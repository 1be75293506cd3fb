import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { ChangeRecord, LocalTools, UndoOutcome } from "@toolglot/local-tools";
import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { type Run, runCommand } from "../cli/run-command.ts";
import { dataFolder } from "../data/folder.ts";
import { diffLines } from "../view/diff.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { openLocal } from "./open-local.ts";
import { openProject } from "./scratch-project.ts";

interface UndoOptions {
  list: boolean;
  json: boolean;
  dataDir?: string;
}

/** The subcommand `undo`: takes back what a model changed in the project, also after its process has ended. Gives the exit code. */
export function undoCommand(args: readonly string[]): Promise<number> {
  return runCommand(
    (run: Run) =>
      new Command("npm run demo -- undo")
        .description("takes back the last change that was made to the project's files, and shows what that did")
        .argument("[id]", "a change, as --list shows it (default: the newest that is not undone)")
        .option("--list", "show the changes, newest first, and undo none", false)
        .option("--json", "records as NDJSON", false)
        .option("--data-dir <dir>", "where the project lives")
        .action((id: string | undefined, options: UndoOptions) => run(() => atProject(id, options))),
    args,
  );
}

async function atProject(id: string | undefined, options: UndoOptions): Promise<number> {
  const folder = dataFolder(options.dataDir);
  if (!existsSync(join(folder, "project"))) {
    if (options.list) return list([], [], options);
    throw new Error("There is nothing to undo: nobody has worked on the project yet.");
  }
  const local = await openLocal(openProject(folder), { commands: "ask", sandbox: "off" });
  try {
    const style = styleFor(process.stdout);
    for (const change of local.recovered) process.stderr.write(`Repaired: ${lineOf(change, local.roots, style)}\n`);
    return options.list ? list(await local.changes(), local.roots, options) : await undo(local, id, options, style);
  } finally {
    await local.close();
  }
}

async function undo(local: LocalTools, id: string | undefined, { json }: UndoOptions, style: Style): Promise<number> {
  const undone = await local.undo(id);
  const values = valuesOf(undone.id, await local.changes());
  if (json) {
    process.stdout.write(`${JSON.stringify(values.length === 0 ? undone : withoutDiffs(undone, values))}\n`);
    return exitCodes.answered;
  }
  const files = undone.files.flatMap(({ path, diff, removed }) => [
    `${removed ? "Removed" : "Restored"} ${style.accent(visible(path))}`,
    ...(values.length === 0 ? diffLines(diff, style).map((line) => `  ${line}`) : []),
  ]);
  if (values.length > 0) files.push(style.dim(hiddenBecause(values)));
  process.stdout.write(`${style.strong(`Undone: change ${undone.id}`)}\n${files.join("\n")}\n`);
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

function list(changes: readonly ChangeRecord[], roots: readonly string[], { json }: UndoOptions): number {
  const style = styleFor(process.stdout);
  const lines = changes.map((change) => (json ? JSON.stringify(change) : lineOf(change, roots, style)));
  if (lines.length === 0 && !json) lines.push("No changes.");
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
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
