import { basename } from "node:path";
import { fitBudget } from "@toolglot/core/results";
import type { EditOutcome } from "../edit/types.ts";
import type { ReadOutcome } from "../local-tools.ts";
import type { ShellResult } from "../shell/types.ts";

/** Returns what a model reads of a shell call: the output as it stands, then what there is to say about it. */
export function shellText({ status, output, screen, waiting, notes }: ShellResult): string {
  const facts = [...notes];
  if (status === "running" || waiting !== undefined) {
    if (waiting === "input") facts.push("It waits for input: answer with input, or stop it with ctrl c.");
    else if (waiting === "password") facts.push("It waits for a password: answer with input, or stop it with ctrl c.");
    else facts.push("It is still running: wait with an empty input, answer with input, or stop it with ctrl c.");
  }
  const shown =
    screen && `[The screen of a full-screen program, cursor at ${screen.row},${screen.column}:]\n${screen.text}`;
  return [output.replace(/\n$/, ""), shown ?? "", ...facts.map((fact) => `[${fact}]`)]
    .filter((part) => part !== "")
    .join("\n");
}

/** Returns what a model reads of edits that were made: each file's numbers and its diff. Diffs are cut so that all takes about `room` units. */
export function editText({ files }: Pick<EditOutcome, "files">, room: number): string {
  const diffs = fitBudget(new Map(files.map((file) => [file, file.diff.trimEnd()])), room);
  return files
    .map((file) => {
      const { path, created, replacements, added, removed, diff, backup, notes } = file;
      const times = replacements === 1 ? "1 replacement" : `${replacements} replacements`;
      const head = created ? `Created ${path} (+${added})` : `Changed ${path}: ${times} (+${added} -${removed})`;
      const facts = backup === undefined ? notes : [...notes, `A copy of the old file was kept: ${basename(backup)}`];
      const shown = diffs.get(file) ?? "";
      const rest = shown.length < diff.trimEnd().length ? "[the middle of the diff is left out, at …]" : "";
      return [head, ...facts.map((fact) => `[${fact}]`), shown, rest].filter((part) => part !== "").join("\n");
    })
    .join("\n\n");
}

export function readText(outcome: ReadOutcome): string {
  return outcome
    .map((part) => {
      if (part.kind === "failure") return `==> ${part.of} <==\n[${part.error.message}]`;
      return part.text === "" ? `==> ${part.head} <==` : `==> ${part.head} <==\n${part.text}`;
    })
    .join(outcome.some((part) => part.kind !== "failure" && part.text.endsWith("\n")) ? "\n" : "\n\n");
}
