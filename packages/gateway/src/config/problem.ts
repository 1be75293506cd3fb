import { ToolglotError } from "@toolglot/core";

/** What kind of mistake it is. */
export type ConfigProblemCode =
  | "config/syntax"
  | "config/unknown-key"
  | "config/type"
  | "config/value"
  | "config/unset"
  | "config/clash"
  | "config/file"
  | "config/mode";

/** A mistake in a configuration, or something that is worth knowing of it. No value that may be a secret stands in it. */
export interface ConfigProblem {
  /** The file, as it was named; `command line` for flags. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** `gateway.listen.port`, `mcpServers.shop.args[0]`; in a file of rules, `rules[2].which`. Empty: the file as a whole. */
  path: string;
  /** With an error nothing starts. */
  severity: "error" | "notice";
  code: ConfigProblemCode;
  /** Said of what stands at the path: `unknown key (did you mean "policy"?)`. */
  message: string;
  /** What to do: one sentence. */
  cure: string;
}

/** Returns problems as people read them: `FILE:LINE:COLUMN  error  gateway.polcy: …`, and a line `cure: …`, for each. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ file, line, column, severity, path, message, cure }) => {
      const about = path === "" ? message : `${path}: ${message}`;
      return `${file}:${line}:${column}  ${severity}  ${about}\n  cure: ${cure}`;
    })
    .join("\n");
}

/** Returns the error `gateway/config`: its message has all problems as text, `data.problems` as data. */
export function configError(problems: readonly ConfigProblem[]): ToolglotError {
  return new ToolglotError("gateway/config", formatProblems(problems), { data: { problems } });
}
