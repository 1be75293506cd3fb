import type { Locale } from "@toolglot/core";
import type { Skill, Task } from "../task.ts";
import { arithmeticSkill } from "./arithmetic.ts";
import { chainSkill } from "./chain.ts";
import { compareSkill } from "./compare.ts";
import { askSkill, searchSkill, summariseSkill } from "./documents.ts";
import { exportSkill } from "./export.ts";
import { notifySkill } from "./notify.ts";
import { fixSkill } from "./project/fix.ts";
import { overviewSkill, projectSearchSkill, projectTestSkill } from "./project/look.ts";
import { releaseSkill } from "./project/release.ts";
import { renameSkill } from "./project/rename.ts";
import { showSkill, ticketsSkill } from "./records.ts";
import { reportSkill, topSkill } from "./report.ts";
import { statisticsSkill } from "./statistics.ts";
import { deleteSkill, ticketSkill } from "./write.ts";

/** The kinds of requests the planner knows, the more particular first: the first that fits is taken. */
export const skills: readonly Skill[] = [
  chainSkill,
  exportSkill,
  deleteSkill,
  ticketSkill,
  notifySkill,
  fixSkill,
  renameSkill,
  releaseSkill,
  projectSearchSkill,
  projectTestSkill,
  overviewSkill,
  compareSkill,
  summariseSkill,
  statisticsSkill,
  ticketsSkill,
  showSkill,
  topSkill,
  reportSkill,
  arithmeticSkill,
  searchSkill,
  askSkill,
];

/** What a request asks for, or undefined when it is none of the known kinds. */
export function readTask(question: string, language: Locale): Task | undefined {
  for (const skill of skills) {
    const found = skill.read(question, language);
    if (found) return found;
  }
  return undefined;
}
