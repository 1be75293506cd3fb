import type { ProgramLanguage } from "@toolglot/core";
import { type CallPlan, type Plan, runPlan, writeProgram } from "./plan.ts";

/** How an earlier call or program of this request ended, as the planner reads it from the conversation. */
export interface Outcome {
  status: "ok" | "error" | "denied";
  value?: unknown;
  errorType?: string;
  message?: string;
  /** For `denied`: what has to be approved first. */
  waitsFor?: string;
  /** The result's text as it stands, where the protocol has it. */
  text?: string;
  /** Exit status of a command, or that it goes on. */
  exit?: number;
  running?: true;
}

/** A request that could not be taken in whole: what was not understood, or a sentence of its own. Nothing of it is done. */
export type Unread = { unread: string[]; message?: string };

/** What a request is answered with. */
export type Answer = string | Unread;

/** One request, understood: what it needs, how to do it in a program and in calls, and how to tell the outcome. */
export interface Task {
  kind: string;
  /** Tools it calls; the planner checks that they are offered before it writes anything. */
  tools: readonly string[];
  /** The programs; each leaves in `__result__` what the calls come to. Without them the task is only for protocols whose calls are no code. */
  code?: Record<ProgramLanguage, string>;
  /** It only looks words up, so that a second program follows. */
  looksUp?: true;
  /** Makes the calls, or the one call that is a program in this language, and answers. */
  run(language?: ProgramLanguage): CallPlan<Answer>;
}

/** A task whose programs and calls come from one plan. An answer that can't make use of its value declines; a task is done next. */
export type Planned<Value> = Pick<Task, "kind" | "looksUp"> & { answer(value: Value): Answer | Task };

export function plannedTask<Value>({ steps, result, answer, ...task }: Planned<Value> & Plan): Task {
  const plan: Plan = { steps, ...(result && { result }) };
  const code = { python: writeProgram(plan, "python"), javascript: writeProgram(plan, "javascript") };
  return {
    ...task,
    tools: [...new Set(steps.flat().flatMap(({ tool }) => tool ?? []))],
    code,
    *run(language) {
      const value = language ? (yield [{ name: code[language], input: {} }])[0] : yield* runPlan(plan);
      const answered = answer(value as Value);
      return typeof answered === "object" && "run" in answered ? yield* answered.run(language) : answered;
    },
  };
}

/** A task of one call, which is answered from what that gives. */
export const callTask = <Value>(
  [kind, tool]: [kind: string, tool: string],
  input: Record<string, string | number>,
  answer: Planned<Value>["answer"],
): Task => plannedTask<Value>({ kind, steps: [[{ name: "found", tool, input }]], answer });

/** Types of errors that say that a person or a policy did not want the call, and that nothing ran. */
const denialTypes: ReadonlySet<string> = new Set(["Denied", "POLICY_DENIED", "ValueCancelled"]);

type Facts = { [Name in keyof Outcome]?: Outcome[Name] | undefined };

/** How a call ended, by the status and the facts in its result: `error` may be that it was not wanted. */
export function outcomeOf(status = "ok", { errorType = "Error", message = "", value, ...facts }: Facts): Outcome {
  if (/^(?:ok|success|pending|running)$/.test(status)) return { ...facts, status: "ok", value } as Outcome;
  const denied = status === "denied" || denialTypes.has(errorType);
  return { ...facts, status: denied ? "denied" : "error", errorType, message } as Outcome;
}
