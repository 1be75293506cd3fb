import type { JsonSchema } from "@toolglot/core";
import type { RegisteredToolFunction } from "../call/registered.ts";
import { ToolResponse } from "../call/response.ts";
import { readRegistration } from "./register.ts";
import type { ToolGroups } from "./tool-groups.ts";

/** The tool a model chooses tool groups with. */
export const metaToolName = "reset_equipped_tools";

const description = `Chooses which groups of tools you have, from now on.

Give true for each group you need: groups that are false or not named are put away. Call it only when the task needs tools that you don't have now.`;

/** Returns the meta tool for the groups there are now: one boolean for each. */
export function makeMetaTool(groups: ToolGroups): RegisteredToolFunction {
  const properties: Record<string, JsonSchema> = {};
  for (const group of groups.own) {
    properties[group.name] = { type: "boolean", description: group.description, default: false };
  }
  const execute = (chosen: Record<string, unknown>): ToolResponse => {
    const known = groups.own.map(({ name }) => name);
    const unknown = Object.keys(chosen).filter((name) => !known.includes(name));
    const active = known.filter((name) => chosen[name] === true);
    groups.activateOnly(active);
    const warnings = unknown.map((name) => `There is no group ${JSON.stringify(name)}.`);
    const state =
      active.length === 0
        ? "No group is active now: only the basic tools are there."
        : `Active groups now: ${active.map((name) => `"${name}"`).join(", ")}.`;
    const content = [...warnings, state, groups.notes()].filter((text) => text !== "").join("\n\n");
    return new ToolResponse(warnings.length === 0 ? { content } : { content, metadata: { warnings } });
  };
  const jsonSchema = { type: "object", properties };
  return readRegistration(execute, { name: metaToolName, description, jsonSchema }, []);
}
