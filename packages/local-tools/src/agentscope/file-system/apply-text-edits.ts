import { applyEdits } from "../../edit/apply-edits.ts";
import type { EditProblem } from "../../edit/edit-problems.ts";
import { localError } from "../../errors.ts";
import { byteOrderMark } from "../../files/text.ts";
import { inMessage } from "../../messages.ts";
import type { TextReplacement } from "./types.ts";

/** Makes replacements in a file's text, all or none; a byte order mark stays, and is not matched. Throws for the first problem. */
export function applyTextEdits(
  path: string,
  text: string,
  edits: readonly TextReplacement[],
): { text: string; notes: string[] } {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const made = applyEdits(
    text.slice(mark.length),
    edits.map(({ oldText, newText }) => ({ find: oldText, replace: newText })),
  );
  if (made.problems.length > 0) throw problemError(path, made.problems, edits.length);
  return { text: mark + made.text, notes: made.notes.map(asAgentScope) };
}

function problemError(path: string, problems: readonly EditProblem[], count: number): Error {
  const lines = problems.map(
    ({ pair, message }) => `- ${count === 1 ? "" : `edit ${pair + 1}: `}${asAgentScope(message)}`,
  );
  const [first] = problems as [EditProblem];
  return localError(first.type, `${inMessage(path)} was not edited:\n${lines.join("\n")}`);
}

/** Rewrites an error of the editor, whose messages are about pairs of find and replace, and an `all` that these tools don't have. */
function asAgentScope(message: string): string {
  return message
    .replace(/, or replace all$/, "")
    .replace(/\bfind\b/g, "oldText")
    .replace(/\breplace holds\b/g, "newText holds")
    .replace(/\b([Pp])air(s?)\b/g, (_, first: string, plural: string) => `${first === "P" ? "E" : "e"}dit${plural}`);
}
