import { ToolkitError } from "../errors.ts";

/** An agent skill: a folder with instructions for a kind of task, which the model reads when it needs them. */
export interface AgentSkill {
  name: string;
  /** When the skill is of use. The prompt has nothing else about it. */
  description: string;
  /** Where its `SKILL.md` and other files are, as the model's tools name it. */
  dir: string;
}

const head = `# Agent Skills
Skills are folders with instructions and files for kinds of tasks. When a task is of such a kind, read the skill's SKILL.md first, and follow it.`;

/** See `Toolkit.getAgentSkillPrompt`. */
export function skillsPrompt(skills: Iterable<AgentSkill>): string | undefined {
  const parts = [...skills].map(
    ({ name, description, dir }) =>
      `## ${name}\n${description}\nRead "${dir}/SKILL.md" to learn how to use this skill.`,
  );
  return parts.length === 0 ? undefined : [head, ...parts].join("\n\n");
}

/** See `Toolkit.registerAgentSkill`. */
export function addSkill(skills: Map<string, AgentSkill>, skill: AgentSkill): void {
  for (const key of ["name", "description", "dir"] as const) {
    if (typeof skill?.[key] !== "string" || skill[key].trim() === "")
      throw new TypeError(`registerAgentSkill needs { name, description, dir }; ${key} is missing`);
  }
  const { name, description, dir } = skill;
  if (skills.has(name))
    throw new ToolkitError("toolkit/name-clash", `There is a skill ${JSON.stringify(name)} already`, { name });
  skills.set(name, { name, description, dir: dir.replace(/[\\/]+$/, "") });
}
