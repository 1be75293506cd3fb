const limit = 4000;

/** What is taken out, in this order: stack lines, URLs, quoted paths, plain paths. */
const rules: readonly (readonly [RegExp, string])[] = [
  [
    /^[ \t]*(?:at [^\n]*:\d+:\d+\)?|at [^\n]* \((?:native|<anonymous>|[^\n]*)\)|File "[^\n]*|Traceback \(most recent[^\n]*)$/gm,
    "",
  ],
  [/(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]*:\/\/|data:[\w.+-]+\/[\w.+-]+[;,]|node:internal\/)[^\s"'`<>)\]}]*/gi, "[url]"],
  [/(["'`])(?:file:)?(?:~|\.{1,2}|[a-z]:)?[\\/](?:(?!\1)[^\n])*\1/gi, "[path]"],
  [/(?<![\w\\])(?:[a-z]:[\\/]|\\\\[\w.$-]+\\)[^\s"'`<>|:*?,;)\]}]*(?::\d+)*/gi, "[path]"],
  [/(?<![\w/.~<-])(?:~|\.{1,2})?\/[^\s"'`<>|:,;()[\]{}/][^\s"'`<>|:,;()[\]{}]*(?::\d+)*/g, "[path]"],
  [/(?<![\w@./\\-])(?:[\w@.-]+[\\/])+[\w@-][\w@.-]*\.[a-z]\w{0,4}(?![\w/])(?::\d+)*/gi, "[path]"],
];

/**
 * Returns a host error's message as a model may see it: file paths become `[path]`, URLs `[url]`, stack lines are left out, at
 * most 4,000 characters stay. For errors that were not made for the model; a {@link ToolError} is shown as it is.
 *
 * @example
 * ```ts
 * const message = sanitizeErrorMessage("ENOENT: no such file, open '/home/me/notes.txt'");
 * // "ENOENT: no such file, open [path]"
 * ```
 */
export function sanitizeErrorMessage(message: string): string {
  let text = message.slice(0, limit);
  for (const [pattern, replacement] of rules) text = text.replace(pattern, replacement);
  text = text.replace(/\n\s*\n+/g, "\n").trim();
  return (text.length > limit || message.length > limit ? `${text.slice(0, limit - 1)}…` : text) || "unknown error";
}
