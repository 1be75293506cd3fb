import { basename } from "node:path";
import { ToolError, type ToolErrorInfo } from "@toolglot/core";
import type { CallOutcome } from "@toolglot/core/executing";
import { fitBudget } from "@toolglot/core/results";
import { defined } from "@toolglot/internal";
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

/** Returns as much of an error as a model may know: a refusal word for word, of anything else only that it happened. */
export function errorInfo(error: unknown): ToolErrorInfo {
  if (!ToolError.isInstance(error))
    return { type: "ToolFault", message: "The call failed for a reason inside the host." };
  const { type, hint } = error.data as { type?: string; hint?: string };
  return { type: type ?? "ToolError", message: error.message, ...defined({ hint }) };
}

/** Returns the outcome of a shell call. A command that fails is an error, and its output stays; one that still runs is pending. */
export function shellOutcome(
  result: ShellResult,
  tool: "command" | "input" | "ctrl",
  signal: AbortSignal,
): CallOutcome {
  const { status, exit, waiting, artifact, cwd } = result;
  const text = shellText(result);
  const base = {
    content: text === "" ? [] : [{ type: "text" as const, text }],
    metadata: { cwd, ...defined({ exit, waiting, artifact }) },
  };
  if (signal.aborted) return { status: "interrupted", ...base };
  if (status === "running") return { status: "pending", ...base };
  if (status === "not-run") {
    const type = tool === "input" ? "NoCommand" : "ShellBusy";
    const message = tool === "input" ? "Nothing was written." : "The command was not run.";
    return { status: "error", ...base, error: { type, message } };
  }
  // What was to be interrupted was: 130 for Ctrl-C, 131 for Ctrl-\\.
  const wanted = tool === "ctrl" && (exit === 130 || exit === 131);
  if (exit === undefined || exit === 0 || wanted) return { status: "ok", ...base };
  const type = status === "shell-ended" ? "ShellEnded" : "CommandFailed";
  return { status: "error", ...base, error: { type, message: `Exit status ${exit}.` } };
}

/** Returns one error for all parts that could not be read; undefined when all could. */
export function readError(outcome: ReadOutcome): ToolErrorInfo | undefined {
  const errors = outcome.flatMap((part) => (part.kind === "failure" ? [errorInfo(part.error)] : []));
  return errors[0] && { ...errors[0], message: errors.map(({ message }) => message).join("\n") };
}
