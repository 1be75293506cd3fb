/** What needs Node: resources and skills from files. */
export type { Resource, ResourceResolver } from "../resources/resource.ts";
export type { AgentSkill } from "../skills.ts";
export { readAgentSkill } from "./agent-skills.ts";
export { type FileResourceOptions, famResolver, fileResolver } from "./file-resources.ts";
