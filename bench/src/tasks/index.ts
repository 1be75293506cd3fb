import { quick } from "../measure.ts";
import { type Bar, type Findings, figure, type Run, type Table } from "../report.ts";
import { both, each, number, type Tokenizer, tokenizers } from "../tokens/count.ts";
import { catalogTable } from "./catalogs.ts";
import { type Played, type Way, ways } from "./play.ts";
import { runTasks, type TaskRun } from "./run.ts";
import { wholeTasks } from "./tasks.ts";

const names: Readonly<Record<Way, string>> = {
  native: "native calls",
  router: "the tool `router`",
  tool: "programs, a tool runs them",
  single: "programs in ATTP, their value is the answer",
  loop: "programs in ATTP, their value goes back",
};

/** Counts what catalogs cost in tokens, and whole tasks, each played for real. Rejects when an answer is not the expected one. */
export async function measureTasks({ progress }: Run): Promise<Findings> {
  progress("catalogs");
  const catalogs = await catalogTable();
  const runs = await runTasks(wholeTasks.slice(0, quick ? 1 : undefined), ways, progress);
  return { bars: taskBars(runs), tables: [catalogs, groupTable(runs), taskTable(runs)] };
}

/** What a whole task took, in tokens: all that was read and written in all of its turns. */
export interface TaskCost {
  /** When every turn reads prompt and history anew. */
  anew: number;
  /** When what was read before counts a tenth: the prompt, which is the same in every task, and the history. */
  cached: number;
}

/** Adds up the turns. The first thing read is what stands before the user's words. */
export function costOfTask({ turns }: Played, { count }: Tokenizer): TaskCost {
  let [history, anew, cached] = [0, 0, 0];
  for (const [at, { read, written }] of turns.entries()) {
    const [first = 0, ...others] = read.map(count);
    const [prompt, news] = at === 0 ? [first, sum(others)] : [0, first + sum(others)];
    const output = count(written);
    anew += history + prompt + news + output;
    cached += (history + prompt) / 10 + news + output;
    history += prompt + news + output;
  }
  return { anew, cached: Math.round(cached) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const callsOf = (runs: readonly TaskRun[], way: Way): number => sum(runs.map(({ played }) => played[way].calls));
const turnsOf = (runs: readonly TaskRun[], way: Way): number => sum(runs.map(({ played }) => played[way].turns.length));
const costsOf = (runs: readonly TaskRun[], way: Way, tokenizer: Tokenizer, kind: keyof TaskCost): number =>
  sum(runs.map(({ played }) => costOfTask(played[way], tokenizer)[kind]));

const programs = ["tool", "single", "loop"] as const;

function taskBars(runs: readonly TaskRun[]): Bar[] {
  const beside = (way: Way, kind: keyof TaskCost): number =>
    Math.max(
      ...tokenizers.map((tokenizer) => costsOf(runs, way, tokenizer, kind) / costsOf(runs, "native", tokenizer, kind)),
    );
  const calls = (way: Way): number => callsOf(runs, way) / callsOf(runs, "native");
  const bar = (what: string, share: number): Bar => {
    return { what, limit: "< 1× native", measured: `${figure(share)}×`, met: share < 1 };
  };
  return programs.flatMap((way) => [
    bar(`calls that the model makes, ${names[way]}`, calls(way)),
    bar(`tokens of all tasks, read anew, ${names[way]}`, beside(way, "anew")),
    bar(`tokens of all tasks, cached, ${names[way]}`, beside(way, "cached")),
  ]);
}

function groupTable(runs: readonly TaskRun[]): Table {
  const groups = [...new Set(runs.map(({ task }) => task.group))];
  const sets = [
    ...groups.map((group) => [group, runs.filter(({ task }) => task.group === group)] as const),
    ["all 24", runs] as const,
  ];
  const rows = sets.flatMap(([group, own]) =>
    ways.map((way, at) => [
      at === 0 ? group : "",
      names[way],
      number(callsOf(own, way)),
      number(turnsOf(own, way)),
      each((tokenizer) => costsOf(own, way, tokenizer, "anew")),
      each((tokenizer) => costsOf(own, way, tokenizer, "cached")),
    ]),
  );
  return {
    title: "Tokens of whole tasks",
    note: `24 tasks, six in each group, played for real through the demo's agent, with the demo's six capabilities and data; the model is a script of what a model would write (\`bench/src/tasks/tasks.ts\`), with ids and values from the results it reads. All ways must come to the same answers, and each is compared with the expected one. *Calls* are those that the model writes, a program being one; *turns* are its answers, the last one included. *Read anew*: all that is read and written until the answer stands, prompt and history in every turn. *Cached*: a tenth for what a provider's cache has seen before, which is the history, and the prompt, the same in all tasks. Tokens in ${both}, without ids and roles: the least that each way can cost.`,
    columns: ["", "way", "calls", "turns", "read anew", "cached"],
    words: [1],
    rows,
  };
}

function taskTable(runs: readonly TaskRun[]): Table {
  const [tokenizer] = tokenizers as [Tokenizer];
  return {
    title: "Each task",
    note: `Calls of the model, and tokens read anew in ${tokenizer.name}.`,
    columns: ["", "group", ...ways.map((way) => names[way])],
    words: [1],
    rows: runs.map(({ task, played }) => [
      task.question.length > 80 ? `${task.question.slice(0, 79)}…` : task.question,
      task.group,
      ...ways.map((way) => `${played[way].calls} · ${number(costOfTask(played[way], tokenizer).anew)}`),
    ]),
  };
}
