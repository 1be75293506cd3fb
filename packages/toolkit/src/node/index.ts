/** What needs Node: resources and skills from files. */
export { readAgentSkill } from "./agent-skills.ts";
export { type FileResourceOptions, famResolver, fileResolver } from "./file-resources.ts";
