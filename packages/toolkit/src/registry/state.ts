import type { RegisteredToolFunction } from "../call/registered.ts";
import { ToolkitError } from "../errors.ts";

/** What of a toolkit can be saved; JSON. */
export interface ToolkitState {
  /** Names of the active groups but `basic`, in order of creation. */
  activeGroups: string[];
  /** What was registered, when asked for: functions themselves can't be saved. */
  registrations?: ToolRegistration[];
}

/** Name and options of one registered tool, as far as they are JSON. */
export interface ToolRegistration {
  name: string;
  originalName: string;
  groupName: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Names only: presets may be secrets. */
  presetNames: string[];
  timeoutMs?: number;
  retries: number;
  chunks: "cumulative" | "incremental";
}

/** How a state is loaded. */
export interface LoadStateOptions {
  /** Whether an unknown group is an error. Default true; else it is left out, and reported. */
  strict?: boolean;
}

/** The registration of a tool as JSON. */
export function registrationOf(tool: RegisteredToolFunction): ToolRegistration {
  const { name, originalName, groupName, definition, presetNames, timeoutMs, retries, chunks } = tool;
  return {
    name,
    originalName,
    groupName,
    description: definition.description,
    inputSchema: structuredClone(definition.inputSchema),
    presetNames: [...presetNames],
    ...(timeoutMs !== undefined && { timeoutMs }),
    retries,
    chunks,
  };
}

/**
 * The groups that a state activates, checked whole before anything changes. Throws `TypeError` for what is no state, and
 * `ToolkitError` with the code `toolkit/unknown-group` for groups that are not there, unless told to report them.
 */
export function readState(
  state: unknown,
  known: readonly string[],
  { strict = true }: LoadStateOptions,
): { active: string[]; warnings: string[] } {
  const names = (state as ToolkitState | null)?.activeGroups;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw new TypeError("loadState needs { activeGroups: string[] }, as saveState() gives it");
  }
  const { activeGroups: _, registrations: __, ...others } = state as ToolkitState & Record<string, unknown>;
  const [other] = Object.keys(others);
  if (strict && other !== undefined) {
    throw new TypeError(
      `loadState: a state has no ${JSON.stringify(other)}, only activeGroups and registrations; load with { strict: false } to leave it out`,
    );
  }
  const unknown = names.filter((name) => !known.includes(name) && name !== "basic");
  if (strict && unknown.length > 0) {
    const message = `There is no group ${unknown.map((name) => JSON.stringify(name)).join(", ")}: create it first, or load with { strict: false }`;
    throw new ToolkitError("toolkit/unknown-group", message, { name: unknown[0] });
  }
  const warnings = [
    ...unknown.map((name) => `There is no group ${JSON.stringify(name)}.`),
    ...Object.keys(others).map((key) => `A state has no ${JSON.stringify(key)}; it was left out.`),
  ];
  return { active: names.filter((name) => known.includes(name)), warnings };
}
