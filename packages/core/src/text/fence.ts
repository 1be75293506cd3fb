/** A code fence that is open. */
export interface Fence {
  /** "`" or "~". */
  mark: string;
  /** Length of the opening run; the closing one is at least as long. */
  length: number;
  /** White space before the opening run. */
  indent: string;
  /** What stands after it, lower-cased: `toml`, `python`, or nothing. */
  info: string;
  /** Offset of the opening line. */
  start: number;
}

const opener = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t\r]*$/;
const closer = /^[ \t]*(`{3,}|~{3,})[ \t\r]*$/;

/** The fence a line opens, if it does. A line with further backticks after the run is inline code, not a fence. */
export function openFence(line: string, start: number): Fence | undefined {
  const match = opener.exec(line);
  if (!match) return undefined;
  const [, indent = "", run = "", info = ""] = match;
  const mark = run.charAt(0);
  if (mark === "`" && info.includes("`")) return undefined;
  return { mark, length: run.length, indent, info: info.toLowerCase(), start };
}

/** Whether a line closes a fence: the same mark, at least as many, and nothing else, whatever the indentation. */
export function closesFence(line: string, fence: Pick<Fence, "mark" | "length">): boolean {
  const run = closer.exec(line)?.[1];
  return run !== undefined && run.charAt(0) === fence.mark && run.length >= fence.length;
}
