import type { Locale, ProgramLanguage } from "@toolglot/core";
import type { Outcome } from "./outcome.ts";
import type { Unread } from "./reading/unread.ts";

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
  /** The answer, computed from the value alone; what it could not make use of declines the request. */
  answer(value: Value): Answer;
  /** For a task that only looks words up: how the request reads once their meaning is known. */
  next?(value: Value): Task | Unread;
}

/** What a request is answered with. */
export type Answer = string | Unread;

/** A kind of request the planner knows, for the help text. */
export interface Skill {
  id: string;
  title: Record<Locale, string>;
  /** A request of this kind, as a user would type it. */
  example: Record<Locale, string>;
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

/** A plan that can't go on, in words for the user. */
export class PlanError extends Error {
  override name = "PlanError";
  /** Type of the error that ended it, if a tool gave one. */
  readonly code: string;

  constructor(message: string, code = "") {
    super(message);
    this.code = code;
  }
}
