import { ToolError, ToolglotError } from "@toolglot/core";
import { nearest } from "@toolglot/internal";
import { localError } from "../errors.ts";

/** A placeholder as it is written: `$KARYI{NAME}`. */
const written = (name: string): string => `$KARYI{${name}}`;

/** The name in a placeholder; undefined when what stands there can't be one. */
function nameIn(placeholder: string): string | undefined {
  return /^\$KARYI\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$/.exec(placeholder)?.[1];
}

/** For placeholders without a value. `known`: the names that have one; `effect`: what came of it. */
export function unknownValue(
  placeholders: readonly string[],
  known: Iterable<string>,
  effect = "Nothing was run.",
): Error {
  const names = [...known];
  const near = [...new Set(placeholders.flatMap((one) => nearest(nameIn(one) ?? one, names, 1)))];
  const meant = near.length === 0 ? "" : ` Known is ${near.map(written).join(", ")}.`;
  return localError(
    "UnknownValue",
    `There is no value for ${[...new Set(placeholders)].join(", ")}. ${effect}${meant}`,
    {
      hint: "Write $$KARYI{…} where the text itself is meant.",
    },
  );
}

/** For a tool that is not ours, and may not have these values. */
export function valueNotAllowed(placeholders: readonly string[], tool: string): Error {
  const values = placeholders.join(", ");
  return localError(
    "ValueNotAllowed",
    `The tool ${JSON.stringify(tool)} may not be given ${values}. Nothing was run.`,
    {
      hint: "Call the tool without it, or use the value in a <command>. Only the host can allow a value for a tool.",
    },
  );
}

/** For a kept value that could not be read. What the store threw is the cause, for the host. */
export function valueLocked(name: string, cause: unknown): Error {
  const locked = ToolglotError.isInstance(cause) && cause.code === "local-tools/secrets-locked";
  const why = locked ? "is locked" : "can't be read";
  return localError(
    "ValueLocked",
    `The store that keeps ${written(name)} ${why}. Nothing was run.`,
    { hint: "Go on without the value, or ask for it with get_value." },
    cause,
  );
}

/** A `find` that was copied from a masked text: the file has the value there. */
export function withPlaceholderHint(error: ToolError, names: readonly string[]): ToolError {
  if (names.length === 0) return error;
  const cure = names.map((name) => `‹${name}› stands for a hidden value: write ${written(name)} there.`).join(" ");
  return new ToolError(`${error.message} ${cure}`, { data: error.data });
}
