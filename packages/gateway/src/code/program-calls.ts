import { type JsonObject, nearest, type Tool, type ToolContext, ToolError } from "@toolglot/core";
import { defined, isObject } from "@toolglot/internal";
import type {
  ApprovalQuestion,
  ImportedTool,
  Outcome,
  ToolAnswer,
  ToolCall,
  ToolCallContext,
  ToolCalls,
  ToolSearch,
} from "@toolglot/trp-mcp";
import { callMembers, callName, searchName } from "./prelude.ts";
import type { ProgramLog } from "./program-log.ts";
import { programValue, textOf } from "./program-value.ts";

/** One run of a program, and what its calls need. */
export interface ProgramRun {
  receipt: string;
  log: ProgramLog;
  calls: ToolCalls;
  /** Those that the caller sees. */
  visible(): readonly ImportedTool[];
  /** What stands for a tool of a server that shows the caller nothing before they have logged in. */
  unknown?(shownName: string): ImportedTool | undefined;
  finder: ToolSearch;
  context: ToolCallContext;
  meta: JsonObject | undefined;
}

/** A call that waits for somebody, or for an earlier one. */
export interface WaitingCall {
  tool: ImportedTool;
  outcome: Outcome;
  question: ApprovalQuestion | undefined;
}

const defaultMatches = 8;
const maxMatches = 20;

/** The calls of one run of a program: each is a call of its own through the router. */
export class ProgramCalls {
  readonly #run: ProgramRun;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #waiting = new Map<string, WaitingCall>();

  constructor(run: ProgramRun) {
    this.#run = run;
  }

  /** How calls ended that were made here, by the sandbox's ids of them. */
  get outcomes(): ReadonlyMap<string, Outcome> {
    return this.#outcomes;
  }

  /** Calls that wait, in their order. */
  get waiting(): readonly WaitingCall[] {
    return [...this.#waiting].sort(([one], [other]) => numberOf(one) - numberOf(other)).map(([, call]) => call);
  }

  /** The functions that the sandbox offers. */
  get tools(): Tool[] {
    const { tool, server, args } = callMembers;
    return [
      {
        name: callName,
        description: "Calls a tool.",
        inputSchema: {
          type: "object",
          properties: { [tool]: { type: "string" }, [server]: { type: "string" }, [args]: true },
          required: [tool, server],
          additionalProperties: true,
        },
        validatesInput: true,
        // A call that is made again is the same operation, of which the router knows what became.
        annotations: { idempotentHint: true },
        execute: (input: JsonObject, context: ToolContext) => this.#call(input, context),
      },
      {
        name: searchName,
        description: "Finds tools.",
        inputSchema: {
          type: "object",
          properties: { query: { type: "string" }, server: { type: "string" }, limit: { type: "integer" } },
          required: ["query"],
        },
        annotations: { readOnlyHint: true },
        execute: (input: { query: string; server?: string; limit?: number }) => this.#search(input),
      },
    ] as Tool[];
  }

  async #call(input: JsonObject, { callId, signal, note, ask }: ToolContext): Promise<unknown> {
    const { calls, context, log, receipt, meta } = this.#run;
    const { tool: name, server: from, args: members } = callMembers;
    const { [name]: toolName, [from]: server, [members]: given, ...named } = input;
    const tool = this.#find(String(server ?? ""), String(toolName));
    if (given !== undefined && given !== null && !isObject(given)) {
      throw new ToolError(`${tool.shownName} takes one object of arguments, as its input schema says.`, {
        data: { status: "refused", executed: "no" },
      });
    }
    const call: ToolCall = {
      tool,
      arguments: { ...(given as JsonObject | undefined), ...named },
      ...defined({ meta }),
    };
    if (tool.io === "WRITE") {
      const begun = await log.beginCall(receipt, numberOf(callId), windowOf(tool));
      if (!begun.isFirst) call.begunAt = begun.at;
    }
    const { caller } = context;
    const own = { caller, signal, traceId: receipt, waitMs: 0, ...defined({ ask }) };
    const { outcome, result, question } = await calls.call(call, own);
    if (outcome.status === "pending") {
      this.#waiting.set(callId, { tool, outcome, question });
      throw new ToolError(textOf(result), { data: { needs: "later" } });
    }
    this.#waiting.delete(callId);
    this.#outcomes.set(callId, outcome);
    context.onProgress?.({ progress: this.#outcomes.size, message: `${tool.shownName}: ${outcome.status}` });
    if (outcome.status === "replayed") {
      const when = outcome.doneAt === undefined ? "before" : `at ${outcome.doneAt}`;
      note?.(`${tool.shownName} was done ${when} with these arguments: this is that result, and nothing was done now.`);
    }
    return endOf({ result, outcome });
  }

  /** By server and tool, or by a tool's whole name. Throws the same for what is unknown and what is not open to the caller. */
  #find(server: string, name: string): ImportedTool {
    const tools = this.#run.visible();
    const exact = tools.find((tool) => (server === "" ? tool.shownName === name : isAt(tool, server, name)));
    if (exact !== undefined) return exact;
    // Names that are no identifiers, written as one.
    const like = tools.filter((tool) => server !== "" && isAt(tool, server, name, asIdentifier));
    if (like.length === 1) return like[0] as ImportedTool;
    const unknown = this.#run.unknown?.(server === "" ? name : `${server}__${name}`);
    if (unknown !== undefined) return unknown;
    const asked = server === "" ? name : `${server}.${name}`;
    const near = nearest(
      asked,
      tools.map((tool) => (server === "" ? tool.shownName : `${tool.server}.${tool.tool}`)),
    );
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Find it with tools.search.";
    const message = `There is no tool ${JSON.stringify(asked.slice(0, 100))}. ${hint}`;
    throw new ToolError(message, { data: { status: "refused", executed: "no" } });
  }

  #search({ query, server, limit }: { query: string; server?: string; limit?: number }): JsonObject[] {
    const { visible, finder } = this.#run;
    const among = visible().filter((tool) => server === undefined || tool.server === server);
    const most = Math.min(maxMatches, Math.max(1, limit ?? defaultMatches));
    return finder.search(among, query.slice(0, 1_000), most).map(({ shownName, server, tool, listed }) => {
      const { description = "", inputSchema } = listed;
      return { name: shownName, server, tool, description, inputSchema };
    });
  }
}

/** What the program gets of an answer, or the error that it gets. */
function endOf({ result, outcome }: Pick<ToolAnswer, "result" | "outcome">): unknown {
  const { status, code, dispatched, receipt } = outcome;
  if (status === "done" || status === "replayed") return programValue(result, status === "replayed");
  const executed = status === "unknown" ? "unknown" : dispatched ? "yes" : "no";
  throw new ToolError(textOf(result), { data: { status, executed, receipt, ...defined({ code }) } });
}

/** Which call of its program it is, from 1: a sandbox names them `<run>:1`, `<run>:2`. */
function numberOf(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf(":") + 1));
}

/** How long its effect is not to happen again, once it is done. Milliseconds. */
function windowOf({ effect, repeat }: ImportedTool): number {
  const isHarmless = effect === "pure" || effect === "idempotent";
  return isHarmless || repeat.mode !== "window" ? 0 : repeat.windowMs;
}

function isAt(tool: ImportedTool, server: string, name: string, as = (text: string): string => text): boolean {
  return as(tool.server) === as(server) && as(tool.tool) === as(name);
}

function asIdentifier(name: string): string {
  return name.replace(/[^\p{IDC}$]+/gu, "_");
}
