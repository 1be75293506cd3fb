import { ToolError, ToolglotError } from "@toolglot/core";
import { nearest } from "@toolglot/internal";
import { valueError } from "../errors.ts";
import { placeholder } from "./placeholders.ts";

/** Placeholders as they are written, each with the name in it. */
export type Asked = readonly { name: string; written: string }[];

/** Creates the refusal of placeholders without a value. `known`: the names that have one; `effect`: what was done. */
export function unknownValue(asked: Asked, known: Iterable<string> = [], effect = "Nothing was run."): ToolError {
  const names = [...known];
  const near = [...new Set(asked.flatMap(({ name, written }) => nearest(name || written, names, 1)))];
  const meant = near.length === 0 ? "" : ` Known is ${near.map(placeholder).join(", ")}.`;
  const message = `There is no value for ${listed(asked)}. ${effect}${meant}`;
  return valueError("UnknownValue", message, "Write $$KARYI{…} where the text itself is meant.");
}

/** Creates the refusal of values for a foreign tool, which may not have them. */
export function valueNotAllowed(asked: Asked, tool: string): ToolError {
  return valueError(
    "ValueNotAllowed",
    `The tool ${JSON.stringify(tool)} may not be given ${asked.map(({ written }) => written).join(", ")}. Nothing was run.`,
    "Call the tool without it, or use the value in a <command>. Only the host can allow a value for a tool.",
  );
}

/** Creates the refusal of a kept value that could not be read. What the store threw is the cause, for the host. */
export function valueLocked(name: string, cause: unknown): ToolError {
  const locked = ToolglotError.isInstance(cause) && cause.code === "secrets/locked";
  return valueError(
    "ValueLocked",
    `The store that keeps ${placeholder(name)} ${locked ? "is locked" : "can't be read"}. Nothing was run.`,
    "Go on without the value, or ask for it with get_value.",
    cause,
  );
}

/** Returns the error of a `find` that was copied from a masked text, with its cure: the file has the value there. */
export function withPlaceholderHint(error: ToolError, names: readonly string[]): ToolError {
  if (names.length === 0) return error;
  const cure = names.map((name) => `‹${name}› stands for a hidden value: write ${placeholder(name)} there.`).join(" ");
  return new ToolError(`${error.message} ${cure}`, { data: error.data });
}

function listed(asked: Asked): string {
  return [...new Set(asked.map(({ written }) => written))].join(", ");
}
