import type { Locale, ProgramLanguage } from "@toolglot/core";
import type { Outcome } from "./outcome.ts";

/** A call the planner wants to make. */
export interface PlannedCall {
  name: string;
  input: Record<string, unknown>;
  /** The plan has use for a failure too: it is handed the {@link Outcome}, whatever it is, but for a refused approval. */
  mayFail?: true;
}

/**
 * The calls of a task one after another, for protocols without code: it yields what may run side by side, is handed the
 * values, and returns what the task's program would leave in `__result__`.
 */
export type CallPlan<Value> = Generator<PlannedCall[], Value, unknown[]>;

/** One request, understood: what it needs, how to do it in a program and in calls, and how to tell the outcome. */
export interface Task<Value = unknown> {
  /** Id of the kind of request it was read as. */
  kind: string;
  /** Tools it calls; the planner checks that they are offered before it writes anything. */
  tools: readonly string[];
  /** What the user wants, for the `thought`. */
  understanding: string;
  /** How it will be done, for the `thought`. */
  plan: string;
  /** For `target`. */
  target: string;
  /** The programs; each leaves a `Value` in `__result__`. Without them the task is only for protocols whose calls are no code. */
  code?: Record<ProgramLanguage, string>;
  calls(): CallPlan<Value>;
  /** Which calls a slip is to be made in; default: the first ones. */
  slipIn?(calls: readonly PlannedCall[]): boolean;
  /** The answer, computed from the value alone. */
  answer(value: Value): string;
}

/** A kind of request the planner knows. */
export interface Skill {
  id: string;
  /** What it is, for the help text. */
  title: Record<Locale, string>;
  /** A request of this kind, as a user would type it. */
  example: Record<Locale, string>;
  /** The task, or undefined when the request is none of this kind. */
  read(question: string, language: Locale): Task | undefined;
}

/** Gives a task its own value type inside and none outside: a kind's values never meet another's. */
export function task<Value>(definition: Task<Value>): Task {
  return definition as unknown as Task;
}

/** A call whose plan looks at how it ended. */
export function attempt(name: string, input: Record<string, unknown>): PlannedCall {
  return { name, input, mayFail: true };
}

/** What such calls are answered with. */
export function outcomesOf(values: readonly unknown[]): Outcome[] {
  return values as Outcome[];
}

/** A plan that can't go on, in words for the user: what the task's program would raise as `ValueError`. */
export class PlanError extends Error {
  override name = "PlanError";
  readonly errorType: string;

  constructor(message: string, errorType = "ValueError") {
    super(message);
    this.errorType = errorType;
  }
}
