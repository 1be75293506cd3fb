import type { ProgramLanguage } from "@toolglot/core";
import { type Plan, runPlan, writeProgram } from "./plan.ts";

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

/**
 * A call the planner wants to make. `mayFail`: the plan has use for a failure too, and is handed the {@link Outcome}, whatever it is
 * but a refused approval. A command that could not be run at all has no exit status, and ends the plan.
 */
export type PlannedCall = { name: string; input: Record<string, unknown>; mayFail?: true };

/** Calls one after another: it yields what may run side by side, is handed the values, and returns what they come to. */
export type CallPlan<Value> = Generator<PlannedCall[], Value, unknown[]>;

/** A request that could not be taken in whole: what was not understood, or a sentence of its own. Nothing of it is done. */
export type Unread = { unread: string[]; message?: string };

/** What a request is answered with. */
export type Answer = string | Unread;

/** One request, understood: what it needs, how to do it in a program and in calls, and how to tell the outcome. */
export interface Task<Value = unknown> {
  kind: string;
  /** Tools it calls; the planner checks that they are offered before it writes anything. */
  tools: readonly string[];
  /** The programs; each leaves a `Value` in `__result__`. Without them the task is only for protocols whose calls are no code. */
  code?: Record<ProgramLanguage, string>;
  calls(): CallPlan<Value>;
  /** The answer, computed from the value alone; what it could not make use of declines the request. */
  answer(value: Value): Answer;
  /** For a task that only looks words up: how the request reads once their meaning is known. */
  next?(value: Value): Task | Unread;
}

/** What a skill says of a task whose programs and calls come from one plan. */
export type Planned<Value> = Omit<Task<Value>, "tools" | "code" | "calls">;

/** Gives a task its own value type inside and none outside: a kind's values never meet another's. */
export const task = <Value>(definition: Task<Value>): Task => definition as unknown as Task;

export function plannedTask<Value>({ steps, result, ...rest }: Planned<Value> & Plan): Task {
  const plan: Plan = { steps, ...(result && { result }) };
  return task<Value>({
    ...rest,
    tools: [...new Set(steps.flat().flatMap(({ tool }) => tool ?? []))],
    code: { python: writeProgram(plan, "python"), javascript: writeProgram(plan, "javascript") },
    calls: () => runPlan(plan) as CallPlan<Value>,
  });
}

/** Types of errors that say that a person or a policy did not want the call, and that nothing ran. */
export const denialTypes: ReadonlySet<string> = new Set(["Denied", "POLICY_DENIED", "ValueCancelled"]);
