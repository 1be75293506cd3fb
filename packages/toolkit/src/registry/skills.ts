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

/** Checks what is registered as a skill. Throws `TypeError`. */
export function checkedSkill(skill: AgentSkill): AgentSkill {
  for (const key of ["name", "description", "dir"] as const) {
    if (typeof skill?.[key] !== "string" || skill[key].trim() === "")
      throw new TypeError(`registerAgentSkill needs { name, description, dir }; ${key} is missing`);
  }
  return { name: skill.name, description: skill.description, dir: skill.dir.replace(/[\\/]+$/, "") };
}
