import type { ToolResult } from "@toolglot/core";
import { contentText } from "@toolglot/core";
import { hunkLine } from "./diff.ts";
import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

const shellTools: ReadonlySet<string> = new Set(["command", "input", "ctrl"]);
const localNames: ReadonlySet<string> = new Set([...shellTools, "edit", "read"]);

/** Lines of output that are shown; the model has all of them. */
const shownLines = 14;
const shownDiffLines = 40;

/** Whether a call is one of those on this machine, whose results are shown as text. */
export function isLocal(name: string | undefined): boolean {
  return localNames.has(name ?? "");
}

/** A call as a person would type it: a command's script, the files of an edit, what is read. */
export function localCallText(name: string, input: unknown): string {
  const {
    script,
    data,
    key,
    files = [],
    searches = [],
  } = (input ?? {}) as Record<string, unknown> & {
    files?: ({ src?: unknown } | null)[];
    searches?: ({ pattern?: unknown } | null)[];
  };
  if (name === "command") return `$ ${String(script)}`;
  if (name === "input") return `input ${JSON.stringify(data)}`;
  if (name === "ctrl") return `ctrl ${String(key)}`;
  const sources = Array.isArray(files) ? files.map((file) => String(file?.src)) : [];
  const patterns = Array.isArray(searches) ? searches.map((search) => `/${String(search?.pattern)}/`) : [];
  return `${name} ${[...sources, ...patterns].join(", ")}`;
}

/** The result of a call: a few lines of output, a diff in colours, the parts that were read, or the error. */
export function localResultLines(result: ToolResult, style: Style): string[] {
  const { name = "", status, content, error } = result;
  const text = contentText(content).trimEnd();
  if (error && !shellTools.has(name)) {
    return first(visible(error.message).split("\n").map(style.bad), style, shownLines);
  }
  if (name === "edit") return first(diffOf(text, style), style, shownDiffLines);
  if (name === "read") return [...text.matchAll(/^==> (.*) <==$/gm)].map(([, line = ""]) => style.dim(visible(line)));
  const lines = text === "" ? [] : visible(text).split("\n");
  const cut = lines.length - shownLines;
  const shown = cut > 0 ? [style.dim(`… ${cut} lines`), ...lines.slice(-shownLines)] : lines;
  return [
    ...shown.map((line) => (/^\[.*\]$/.test(line) ? style.warn(line) : style.dim(line))),
    ...(error && status !== "error" ? [style.warn(error.message)] : []),
  ];
}

/** Returns how a shell call ended: its exit status, or that it still runs. */
export function endText({ status, metadata = {}, error }: ToolResult): string {
  if (typeof metadata.exit === "number") return `exit ${metadata.exit}`;
  if (status === "pending") return metadata.waiting === undefined ? "running" : "waiting for input";
  return error?.type ?? "";
}

/** What an edit gave: a line for each file, and its diff without the two lines that name the file again. */
function diffOf(text: string, style: Style): string[] {
  let inHunk = false;
  return visible(text)
    .split("\n")
    .flatMap((line) => {
      if (/^(?:Changed|Created) /.test(line)) inHunk = false;
      if (line.startsWith("@@ ")) inHunk = true;
      if (inHunk) return [hunkLine(line, style)];
      return /^(?:---|\+\+\+) /.test(line) ? [] : [line];
    });
}

function first(lines: readonly string[], style: Style, max: number): string[] {
  if (lines.length <= max) return [...lines];
  return [...lines.slice(0, max), style.dim(`… ${lines.length - max} more lines`)];
}
