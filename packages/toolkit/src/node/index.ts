/** What needs Node: resources and skills from files. */

export type { AgentSkill } from "../registry/skills.ts";
export type { Resource, ResourceResolver } from "../resource.ts";
export { readAgentSkill } from "./agent-skills.ts";
export { type FileResourceOptions, famResolver, fileResolver } from "./file-resources.ts";
