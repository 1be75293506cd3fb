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

/** A call the planner wants to make. */
export interface PlannedCall {
  name: string;
  input: Record<string, unknown>;
  /** The plan has use for a failure too: it is handed the {@link Outcome}, whatever it is, but for a refused approval. A command
   * that could not be run at all has no exit status, and ends the plan. */
  mayFail?: true;
}

/** Calls one after another: it yields what may run side by side, is handed the values, and returns what they come to. */
export type CallPlan<Value> = Generator<PlannedCall[], Value, unknown[]>;

/** A request that no skill could take in whole. Nothing of it is done. */
export interface Unread {
  /** What was not understood, as the user wrote it. */
  unread: string[];
  /** A sentence of its own instead of the list of words. */
  message?: string;
}

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
  /** Which calls a slip is to be made in; default: the first ones. */
  slipIn?(calls: readonly PlannedCall[]): boolean;
  /** The answer, computed from the value alone; what it could not make use of declines the request. */
  answer(value: Value): Answer;
  /** For a task that only looks words up: how the request reads once their meaning is known. */
  next?(value: Value): Task | Unread;
}

/** Gives a task its own value type inside and none outside: a kind's values never meet another's. */
export function task<Value>(definition: Task<Value>): Task {
  return definition as unknown as Task;
}

/** A task whose programs and calls come from one plan. */
export function plannedTask<Value>({
  steps,
  result,
  ...rest
}: Omit<Task<Value>, "tools" | "code" | "calls"> & Plan): Task {
  const plan: Plan = { steps, ...(result && { result }) };
  return task<Value>({
    ...rest,
    tools: [...new Set(steps.flat().flatMap(({ tool }) => tool ?? []))],
    code: { python: writeProgram(plan, "python"), javascript: writeProgram(plan, "javascript") },
    calls: () => runPlan(plan) as CallPlan<Value>,
  });
}
