import type { ToolDefinition } from "@toolglot/core";
import { isObject, parseJson } from "@toolglot/internal";
import type { LogTool } from "./logs/log-reader.ts";

/** What is kept at most; a log with more names has no tools but garbage. */
const maxTools = 2_000;
const maxParameters = 500;

/** The tools of a log: those that it lists, else what its calls show of them. */
export class ToolBook {
  readonly #listed = new Map<string, ToolDefinition>();
  readonly #seen = new Map<string, Set<string>>();

  /** Takes a tool of a list. */
  list({ name, inputSchema }: LogTool): void {
    if (!isObject(inputSchema?.properties)) this.#parametersOf(name);
    else if (this.#listed.size < maxTools)
      this.#listed.set(name, { name, description: "", inputSchema: { ...inputSchema, type: "object" } });
  }

  /** Takes the parameters of a call, when its arguments are whole. */
  see(name: string, input: unknown): void {
    if (name === "" || this.#listed.has(name)) return;
    const value = typeof input === "string" ? parseJson(input) : input;
    const parameters = isObject(value) ? this.#parametersOf(name) : undefined;
    if (parameters)
      for (const key of Object.keys(value as object)) if (parameters.size < maxParameters) parameters.add(key);
  }

  /** Returns what is known by now, by name. */
  definitions(): ReadonlyMap<string, ToolDefinition> {
    const all = new Map<string, ToolDefinition>();
    for (const [name, keys] of this.#seen) {
      const properties = Object.fromEntries([...keys].map((key) => [key, {}]));
      all.set(name, { name, description: "", inputSchema: { type: "object", properties } });
    }
    for (const [name, tool] of this.#listed) all.set(name, tool);
    return all;
  }

  #parametersOf(name: string): Set<string> | undefined {
    const known = this.#seen.get(name);
    if (known || this.#seen.size >= maxTools) return known;
    const made = new Set<string>();
    this.#seen.set(name, made);
    return made;
  }
}
