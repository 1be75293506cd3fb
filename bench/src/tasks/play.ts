import { randomUUID } from "node:crypto";
import { type AgentOptions, createAgent } from "@toolglot/agent";
import { serialize } from "@toolglot/attp";
import {
  type AnyTool,
  type Message,
  type ModelPart,
  type ModelRequest,
  messageText,
  type ToolDefinition,
  type ToolResult,
  textMessage,
} from "@toolglot/core";
import { codeTools } from "@toolglot/sandbox";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { readAttpResults, readCatalog } from "demo/parts";
import { agentOptions, offerOf, type Session } from "toolglot/parts";
import { declared } from "../tokens/forms.ts";
import { messageAsRead, partAsWritten } from "./as-read.ts";
import type { ScriptedCall, WholeTask } from "./tasks.ts";

/**
 * The ways of calling that are compared: a tool for each capability, the one tool `router`, and programs: in calls of the one tool
 * `executePythonCode`, or in ATTP documents, whose value is the answer (`single`) or goes back to the model (`loop`).
 */
export const ways = ["native", "router", "tool", "single", "loop"] as const;
export type Way = (typeof ways)[number];

const protocols = { native: "native", router: "trp", tool: "native", single: "trp-code", loop: "trp-code" } as const;

/** One turn of a model: what it reads anew, after what it read and wrote in the turns before, and what it writes. */
export interface PlayedTurn {
  read: string[];
  written: string;
}

/** A task that was played. */
export interface Played {
  turns: PlayedTurn[];
  /** Calls that the model wrote; a program is one. */
  calls: number;
  answer: string;
}

// biome-ignore lint/suspicious/noExplicitAny: what tools give; the scripts know it.
type Value = any;

/** Plays a task through the demo's own agent, with its own capabilities, and a model that keeps to the script. Rejects when a call fails. */
export async function play(task: WholeTask, way: Way, session: Session): Promise<Played> {
  const turns: PlayedTurn[] = [];
  const script = way === "native" || way === "router" ? new CallScript(task, way) : new ProgramScript(task, way);
  let known = 0;
  async function* model({ messages, tools = [] }: ModelRequest): AsyncGenerator<ModelPart> {
    const read = messages.slice(known).map(messageAsRead);
    if (known === 0 && tools.length > 0) read.unshift(JSON.stringify(tools.map(declared)));
    // Its own answer comes next, and was counted when it was written.
    known = messages.length + 1;
    const next = script.next(messages, tools);
    turns.push({ read, written: next.map(partAsWritten).join("\n") });
    yield* next;
    yield { type: "finish", reason: next.some((part) => typeof part === "object") ? "calls" : "stop" };
  }
  const options = await agentOptions({
    session,
    model,
    protocol: protocols[way],
    locale: "en",
    mode: way === "single" ? "single" : "loop",
    approve: async () => ({ approved: false }),
    onEvent: () => undefined,
  });
  const offer = way === "tool" ? await codeTool(session) : {};
  const run = createAgent({ ...options, ...offer }).run([textMessage("user", task.question)]);
  const { status, text, results, error } = await run.result;
  const failed = results.find((result) => result.status !== "ok");
  if (failed || !["answered", "result"].includes(status)) {
    const why = failed ? JSON.stringify(failed.error) : (error?.message ?? status);
    throw new Error(`${way}: ${task.question}\n${why}`);
  }
  return { turns, calls: script.calls, answer: way === "single" ? task.says(results.at(-1)?.data) : text };
}

/** The router's capabilities as functions behind one tool, which runs programs. */
async function codeTool(session: Session): Promise<Pick<AgentOptions, "tools" | "executor">> {
  const { tools } = await offerOf("trp-code", "en", session);
  const kit = new Toolkit();
  // They are tools: the offer only promises what a prompt shows of them.
  const functions = tools() as AnyTool[];
  for (const one of codeTools(session.sandbox("python"), { tools: functions })) kit.registerToolFunction(one);
  return { tools: kit, executor: toolkitExecutor(kit) };
}

/** Native calls, or calls of the one tool `router`. */
class CallScript {
  readonly #task: WholeTask;
  readonly #way: "native" | "router";
  readonly #seen: Value[][] = [];
  /** Results that the next message has. */
  #waiting = 0;
  /** The catalog's line says too little to write SQL: the capability is described first. */
  #describes: boolean;
  calls = 0;

  constructor(task: WholeTask, way: "native" | "router") {
    this.#task = task;
    this.#way = way;
    this.#describes = way === "router" && programsOf(task).some((program) => program([[]]).includes("query_sql"));
  }

  next(messages: readonly Message[], tools: readonly ToolDefinition[]): ModelPart[] {
    if (this.#describes) {
      this.#describes = false;
      return this.#written([{ name: "router", input: { describe: ["query_sql"] } }]);
    }
    if (this.#waiting > 0) this.#seen.push(this.#results(messages));
    const turn = this.#task.turns[this.#seen.length];
    if (turn === undefined) return [this.#task.says(this.#task.reads(this.#seen))];
    const calls = turn(this.#seen);
    const written = this.#way === "router" ? [{ name: "router", input: routed(calls, tools) }] : calls;
    this.#waiting = written.length;
    return this.#written(written);
  }

  #written(calls: readonly { name: string; input: object }[]): ModelPart[] {
    return calls.map(({ name, input }) => {
      this.calls += 1;
      return { type: "call", call: { id: `call_${this.calls}`, name, input, protocol: "native" } };
    });
  }

  #results(messages: readonly Message[]): Value[] {
    const data = messages
      .flatMap(resultsOf)
      .slice(-this.#waiting)
      .map((result) => result.data as Value);
    return this.#way === "native" ? data : data.flat().map(fromRouter);
  }
}

function resultsOf({ parts }: Message): ToolResult[] {
  return parts.flatMap((part) => (part.type === "result" ? [part.result] : []));
}

function routed(calls: readonly ScriptedCall[], tools: readonly ToolDefinition[]): object {
  const catalog = readCatalog(tools) ?? [];
  return {
    calls: calls.map(({ name, input }) => ({
      idx: catalog.find((line) => line.name === name)?.idx,
      name,
      args: input,
    })),
  };
}

/** As the tool of the same name gives it. */
function fromRouter({ data, warnings }: { data: Value; warnings?: string[] }): Value {
  if (warnings?.length) throw new Error(`A result was cut: ${warnings.join("; ")}`);
  return Array.isArray(data.items) ? data.items : data;
}

const programsOf = ({ program, programs = [() => program] }: WholeTask): ((values: Value[]) => string)[] => programs;

/** Programs, in documents or in calls of a tool. */
class ProgramScript {
  readonly #task: WholeTask;
  readonly #way: Way;
  readonly #values: Value[] = [];
  calls = 0;

  constructor(task: WholeTask, way: Way) {
    this.#task = task;
    this.#way = way;
  }

  next(messages: readonly Message[]): ModelPart[] {
    const { question, says } = this.#task;
    const programs = this.#way === "single" ? [() => this.#task.program] : programsOf(this.#task);
    if (this.calls > 0) this.#values.push(this.#value(messages.at(-1) as Message));
    const program = programs[this.calls]?.(this.#values);
    if (program === undefined) return [says(this.#values.at(-1))];
    this.calls += 1;
    const code = `${program}\n`;
    if (this.#way === "tool") {
      const id = `call_${randomUUID()}`;
      return [{ type: "call", call: { id, name: "executePythonCode", input: { code }, protocol: "native" } }];
    }
    const used = code.match(/\b(?:search_documents|fetch_document|query_sql|router\.batch)\b/g);
    const named = [...new Set(used)].join(", ");
    // The four points that the prompt asks for.
    const thought = `1. Understand the request: ${question}\n2. Choose tools: ${named}\n3. Verify tools: ${named} in the list of available tools ✓\n4. Plan: write one program.`;
    const toolCall = { status: "success" as const, target: question, code };
    return [serialize({ status: "complete", thought, toolCall, extra: {}, span: { start: 0, end: 0 } })];
  }

  /** What the last program gave. */
  #value(message: Message): Value {
    if (this.#way === "tool") {
      const [result] = resultsOf(message);
      return (result?.data as Value | undefined)?.value;
    }
    const [outcome] = readAttpResults(messageText(message));
    if (outcome?.status !== "ok") throw new Error(`The program failed: ${JSON.stringify(outcome)}`);
    return outcome.value;
  }
}
