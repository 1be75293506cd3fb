import { checkKeys, defined } from "@toolglot/internal";
import type { RegisteredToolFunction } from "../call/registered.ts";
import { ToolkitError } from "../errors.ts";
import type { ToolRegistry } from "./registry.ts";

/** The part of a toolkit that can be saved; JSON. */
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

/** Options for loading a state. */
export interface LoadStateOptions {
  /** Whether an unknown group is an error. Default true; else it is left out, and reported. */
  strict?: boolean;
}

/** See `Toolkit.saveState`. */
export function saveState(registry: ToolRegistry, options: { registrations?: boolean }): ToolkitState {
  checkKeys("saveState", options, "registrations:boolean");
  const activeGroups = registry.groups.own.filter(({ active }) => active).map(({ name }) => name);
  if (!options.registrations) return { activeGroups };
  return { activeGroups, registrations: [...registry.tools.values()].map(registrationOf) };
}

function registrationOf(tool: RegisteredToolFunction): ToolRegistration {
  const { name, originalName, groupName, definition, presetNames, timeoutMs, retries, chunks } = tool;
  return {
    name,
    originalName,
    groupName,
    description: definition.description,
    inputSchema: structuredClone(definition.inputSchema),
    presetNames: [...presetNames],
    ...defined({ timeoutMs }),
    retries,
    chunks,
  };
}

/** See `Toolkit.loadState`. Checks the whole state before it changes anything. */
export function loadState({ groups }: ToolRegistry, state: unknown, options: LoadStateOptions): string[] {
  checkKeys("loadState", options, "strict:boolean");
  const { strict = true } = options;
  const known = groups.own.map(({ name }) => name);
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
  groups.activateOnly(names.filter((name) => known.includes(name)));
  return [
    ...unknown.map((name) => `There is no group ${JSON.stringify(name)}.`),
    ...Object.keys(others).map((key) => `A state has no ${JSON.stringify(key)}; it was left out.`),
  ];
}
