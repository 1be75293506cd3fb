import { openDemo } from "demo/parts";
import { Session } from "toolglot/parts";
import { inFolder } from "../machine.ts";
import { type Played, play, type Way } from "./play.ts";
import type { WholeTask } from "./tasks.ts";

/** A task with what it took each way. */
export interface TaskRun {
  task: WholeTask;
  played: Record<Way, Played>;
}

/** Plays tasks each way, on data of their own. Rejects when an answer is not the expected one. */
export const runTasks = (
  tasks: readonly WholeTask[],
  ways: readonly Way[],
  progress: (text: string) => void = () => undefined,
): Promise<TaskRun[]> =>
  inFolder(async (folder) => {
    const session = new Session({ folder, modules: [{ ...openDemo(folder), from: "demo" }] });
    const wrong: string[] = [];
    try {
      const runs: TaskRun[] = [];
      for (const [at, task] of tasks.entries()) {
        progress(`task ${at + 1} of ${tasks.length}`);
        const played = {} as Record<Way, Played>;
        for (const way of ways) {
          played[way] = await play(task, way, session);
          const { answer } = played[way];
          if (answer !== task.expected)
            wrong.push(`${way}: ${task.question}\n  ${answer}\n  instead of ${task.expected}`);
        }
        runs.push({ task, played });
      }
      if (wrong.length > 0) throw new Error(`Answers that are not the expected ones:\n${wrong.join("\n")}`);
      return runs;
    } finally {
      await session.dispose();
    }
  });
