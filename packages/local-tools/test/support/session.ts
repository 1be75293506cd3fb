import type { CallsAction, Executor, ToolDefinition, ToolResult } from "@toolglot/core";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { type ToolsXmlBlock, toolsxmlProtocol } from "@toolglot/toolsxml";
import { onTestFinished } from "vitest";
import { type LocalTools, localExecutor, openLocalTools } from "../../src/index.ts";
import { type Answering, type ListeningContext, listeningContext } from "./context.ts";
import { type ReadResult, readResults } from "./results-text.ts";
import { type Scratch, scratchFolder } from "./scratch.ts";

/** What a model gets for what it wrote. */
export interface Told {
  /** As it reads it: `<results>`, or what is wrong with its block. */
  text: string;
  results: ReadResult[];
  /** As the host has them. */
  raw: ToolResult[];
  blocks: ToolsXmlBlock[];
  context: ListeningContext;
}

/** How a message is run. */
export interface TellOptions {
  answer?: Answering;
  signal?: AbortSignal;
}

/** A machine with one scratch folder as its root, and a model's messages to it. */
export interface Session {
  readonly work: Scratch;
  readonly state: Scratch;
  readonly local: LocalTools;
  readonly executor: Executor;
  /** Runs all blocks of a message, as the agent's loop does, and gives what the model reads next. */
  tell(message: string, options?: TellOptions): Promise<Told>;
  /** The same, of a message with one call: its one result. */
  ask(message: string, options?: TellOptions): Promise<ReadResult & Pick<Told, "raw" | "context">>;
}

type LocalOptions = Parameters<typeof openLocalTools>[0];
type ExecutorOptions = NonNullable<Parameters<typeof localExecutor>[1]>;

/** What a session is made of; all of it may be left out. */
export interface SessionOptions extends Partial<LocalOptions>, ExecutorOptions {
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Tools that the model may call by tags of their own. */
  declared?: readonly ToolDefinition[];
}

export const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });

/** Opens a session, closed when the test is over. Call it inside a test. */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  const { files, declared = [], others, mcp, maxConcurrency, foreignValues = false, ...rest } = options;
  const work = await scratchFolder(files);
  const state = await scratchFolder();
  const local = await openLocalTools({ roots: [work.path], stateDir: state.path, ...rest });
  onTestFinished(() => local.close());
  const executor = localExecutor(local, {
    ...(others === undefined ? {} : { others }),
    ...(mcp === undefined ? {} : { mcp }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    foreignValues,
  });
  const tell: Session["tell"] = async (message, { answer, signal } = {}) => {
    const parser = protocol.createParser({ tools: [...declared] });
    parser.feed(message);
    const parsed = parser.end({ finish: "stop" });
    const context = listeningContext(answer, signal);
    const raw: ToolResult[] = [];
    for (const action of parsed.blocks.flatMap((block) => protocol.actions(block))) {
      if (!executor.handles(action)) throw new Error(`the executor doesn't handle ${action.kind}`);
      raw.push(...(await executor.execute(action, context.given)));
    }
    const written = protocol.formatResults(raw);
    const text = written === "" ? (protocol.explain(parsed) ?? "") : written;
    return { text, results: readResults(written), raw, blocks: parsed.blocks, context };
  };
  return {
    work,
    state,
    local,
    executor,
    tell,
    async ask(message, how) {
      const { results, raw, context, text } = await tell(message, how);
      const [one, another] = results;
      if (one === undefined || another !== undefined) throw new Error(`not one result: ${text}`);
      return { ...one, raw, context };
    },
  };
}

/** A block's action as the executor gets it. */
export function actionOf(message: string, tools: readonly ToolDefinition[] = []): CallsAction {
  const parser = protocol.createParser({ tools: [...tools] });
  parser.feed(message);
  const [action] = parser.end({ finish: "stop" }).blocks.flatMap((block) => protocol.actions(block));
  if (action?.kind !== "calls") throw new Error(`no calls in ${message}`);
  return action;
}

/** Waits until something holds; for what another process does in its own time. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to that: ${what}`);
}

/** Whether a process is there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
