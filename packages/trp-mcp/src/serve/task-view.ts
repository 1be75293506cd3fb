import type { ApprovalQuestion } from "../types.ts";
import { type Askable, approvalElicitation, type InputRequest } from "./asking.ts";
import type { TaskState } from "./task-log.ts";

/** Milliseconds that a client is asked to wait between two looks. */
const pollIntervalMs = 1_000;

/** A task as a client sees it. */
export interface TaskView {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
  inputRequests?: Record<string, InputRequest>;
  result?: object;
  error?: TaskState["error"];
}

/** Whether nothing about a task will change any more. */
export function isFinal({ stage }: TaskState): boolean {
  return stage !== "waiting" && stage !== "running";
}

/** Returns a task as `tasks/get` has it, for a client that lets itself be asked so much. */
export function viewOf(id: string, state: TaskState, can: Askable): TaskView {
  const { stage, createdAt, updatedAt, ttlMs, approval, result, error, cancelAsked } = state;
  const facts = {
    taskId: id,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ...{ ttlMs, pollIntervalMs },
  };
  if (stage === "completed") return { ...facts, status: stage, ...(result && { result }) };
  if (stage === "failed") return { ...facts, status: stage, ...(error && { statusMessage: error.message, error }) };
  if (stage === "cancelled") return { ...facts, status: stage };
  const inputRequests = askedIn(state, can);
  if (Object.keys(inputRequests).length > 0) return { ...facts, status: "input_required", inputRequests };
  const where = approval?.url === undefined ? "" : ` at ${approval.url}`;
  const begun = cancelAsked ? "The call had begun when its end was asked for: it runs to its end." : undefined;
  const statusMessage = stage === "waiting" ? `The call waits for an approval${where}.` : begun;
  return { ...facts, status: "working", ...(statusMessage !== undefined && { statusMessage }) };
}

/** Returns what the client is asked now, by the keys of the answers: nothing where it can't be asked, or wants the task's end. */
export function askedIn(
  { stage, approval, questions = {}, answers = {}, cancelAsked }: TaskState,
  can: Askable,
): Record<string, InputRequest> {
  if (stage === "running" && !cancelAsked) {
    return Object.fromEntries(Object.entries(questions).filter(([key]) => !Object.hasOwn(answers, key)));
  }
  if (stage !== "waiting" || approval?.text === undefined) return {};
  const params = approvalElicitation(approval as ApprovalQuestion, can);
  return params ? { [approval.approvalId]: { method: "elicitation/create", params } } : {};
}

/** Returns a task as the answer to the request that it stands for. */
export function handleOf({
  inputRequests: _,
  ...task
}: TaskView): Omit<TaskView, "inputRequests"> & { resultType: "task" } {
  return { resultType: "task", ...task };
}
