import type { Action, PlanAction } from "../action.ts";
import type { ToolErrorInfo } from "../call.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { inputObject } from "../message.ts";
import type { Span } from "../span.ts";
import type { BridgeSetup } from "./setup.ts";

/** A call that a block asks for. */
export interface WantedCall {
  tool: string;
  input: Record<string, unknown>;
  span: Span;
  /** Why it must not be made. */
  error?: ToolErrorInfo;
  /** When it is not made, those behind it aren't either. */
  stops: boolean;
}

/** Returns what actions ask for, one after the other: calls, and messages instead of them. */
export function wantedOf(actions: readonly Action[], setup: BridgeSetup): (WantedCall | { message: string })[] {
  const wantedBy = (action: Action): (WantedCall | { message: string })[] => {
    switch (action.kind) {
      case "decline":
        return [{ message: action.message }];
      case "code":
        return [{ tool: setup.programs?.tool ?? "", input: { code: action.source }, span: action.span, stops: false }];
      case "plan":
        return ofPlan(action, setup);
      case "calls":
        return action.calls.map((call) => ({
          tool: call.name,
          input: inputObject(call),
          span: call.span ?? action.span,
          stops: false,
          ...unknown(call.name, setup),
        }));
    }
  };
  return actions.flatMap(wantedBy);
}

function ofPlan({ plan }: PlanAction, setup: BridgeSetup): WantedCall[] {
  return plan.steps.map(({ tool, params, uris, errors, onError, span }) => {
    const references = Object.keys(uris);
    const [error] = errors;
    return {
      tool,
      input: { ...params },
      span,
      stops: onError === "stop",
      ...(error
        ? { error }
        : references.length > 0
          ? { error: { type: "InvalidInput", message: setup.words.reference(references) } }
          : unknown(tool, setup)),
    };
  });
}

function unknown(tool: string, { tools, words }: BridgeSetup): { error?: ToolErrorInfo } {
  if (tools.has(tool)) return {};
  return { error: { type: "UnknownTool", message: words.unknownTool(tool, [...tools.keys()]) } };
}

/** Returns what of a plan other stacks have no word for. */
export function lostFeatures(actions: readonly Action[]): Diagnostic[] {
  return actions.flatMap((action): Diagnostic[] => {
    if (action.kind !== "plan") return [];
    const { requestId, steps } = action.plan;
    const lost = [
      requestId !== undefined && "request_id",
      steps.some(({ retry }) => retry > 0) && "retry",
      steps.some(({ onError }) => onError === "continue") && "on_error",
      ...steps.flatMap(({ uris }) => Object.keys(uris).map((name) => `uri_${name}`)),
    ].filter((name) => typeof name === "string");
    if (lost.length === 0) return [];
    return [
      {
        code: "bridge/plan-feature-lost",
        severity: "warning",
        affects: "none",
        message: `The plan has what calls can't say: ${[...new Set(lost)].join(", ")}.`,
        span: action.span,
        source: "bridge",
      },
    ];
  });
}
