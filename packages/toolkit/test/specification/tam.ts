import type { ApprovalRequest, Decision, ExecutorEvent, ToolResult } from "@toolglot/core";
import { isRunnable, ToolError } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { bindPlan, formatResults, parse } from "@toolglot/tam";
import {
  defineTool,
  type TaskEvent,
  Toolkit,
  type ToolkitExecutor,
  type ToolkitExecutorOptions,
  toolkitExecutor,
} from "../../src/index.ts";

/** What became of a text. */
export interface Ran {
  results: ToolResult[];
  events: ExecutorEvent[];
  asked: ApprovalRequest[];
  /** What the model reads next. */
  reply: string;
}

export interface RunOptions {
  signal?: AbortSignal;
  approve?: (request: ApprovalRequest) => Decision | Promise<Decision>;
  /** Whether the parser and the binding know the tools. Default true. */
  bound?: boolean;
}

/** A model's text as an agent runs it: read, bound to the tools, run block after block, results written back. */
export async function runText(
  executor: ToolkitExecutor,
  kit: Toolkit,
  text: string,
  options: RunOptions = {},
): Promise<Ran> {
  const tools = options.bound === false ? undefined : kit.definitions();
  const { blocks } = parse(text, tools === undefined ? {} : { tools });
  const events: ExecutorEvent[] = [];
  const asked: ApprovalRequest[] = [];
  const context = executorContext({
    signal: options.signal ?? new AbortController().signal,
    emit: (event) => events.push(event),
    approve: async (request) => {
      asked.push(request);
      return (await options.approve?.(request)) ?? { approved: true };
    },
    runId: "run",
  });
  const results: ToolResult[] = [];
  for (const block of blocks.filter(isRunnable)) {
    results.push(
      ...(await executor.execute({ kind: "plan", plan: bindPlan(block, tools), span: block.span }, context)),
    );
  }
  return { results, events, asked, reply: formatResults(results) };
}

/** A TAM block of the given fields. */
export function block(...lines: string[]): string {
  return ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>"].join("\n");
}

export const statuses = (results: readonly ToolResult[]): string[] =>
  results.map(({ status, error }) => (error ? `${status} ${error.type}` : status));

export const taskOf = (result: ToolResult | undefined): string =>
  String((result?.data as { task_id?: string } | undefined)?.task_id);

/** The tools of the specification's own examples, which note what they do, and a few more. */
export function exampleKit(options: ToolkitExecutorOptions = {}) {
  const log: string[] = [];
  const kit = new Toolkit();
  let failures = 0;
  const note = (line: string): void => void log.push(line);
  const tools = [
    defineTool({
      name: "File.Append",
      description: "Appends a line.",
      args: { file_path: "string", content: "string", "output_dir?": "string" },
      execute: ({ file_path, content, output_dir }) => note(`append ${file_path}: ${content} in ${output_dir ?? "-"}`),
    }),
    defineTool({
      name: "File.Read",
      description: "Reads.",
      args: { file_path: "string" },
      annotations: { readOnlyHint: true },
      execute: ({ file_path }) => {
        note(`read ${file_path}`);
        return `text of ${file_path}`;
      },
    }),
    defineTool({
      name: "File.Delete",
      description: "Deletes.",
      args: { file_path: "string" },
      annotations: { destructiveHint: true },
      execute: ({ file_path }) => note(`delete ${file_path}`),
    }),
    defineTool({
      name: "ImageTool.Generate",
      description: "Paints, for a while.",
      args: { prompt: "string", "output_uri?": "string", "output_dir?": "string" },
      annotations: { async: true },
      execute: async function* ({ prompt, output_uri }) {
        note(`paint ${prompt}`);
        yield "half";
        await Promise.resolve();
        if (prompt === "nothing") throw new ToolError("there is no picture of nothing");
        return { uri: output_uri ?? "none" };
      },
    }),
    defineTool({
      name: "Report.Build",
      description: "Builds.",
      input: {
        type: "object",
        properties: { payload: {}, output_dir: { type: "string" }, cover: {} },
        required: ["payload"],
      },
      execute: (input) => input,
    }),
    defineTool({
      name: "Flaky",
      description: "Fails as often as it is told.",
      args: { times: "integer" },
      execute: ({ times }) => {
        failures += 1;
        note(`try ${failures}`);
        if (failures <= times) throw new ToolError(`failure ${failures}`);
        return `done after ${failures}`;
      },
    }),
    defineTool({
      name: "Hang",
      description: "Never ends.",
      args: {},
      execute: () => {
        note("hang");
        return new Promise(() => {});
      },
    }),
  ];
  for (const tool of tools) kit.registerToolFunction(tool);
  const executor = toolkitExecutor(kit, options);
  const told: TaskEvent[] = [];
  executor.tasks.events.subscribe((event) => told.push(event));
  const run = (text: string, more: RunOptions = {}): Promise<Ran> => runText(executor, kit, text, more);
  return { kit, log, executor, told, run };
}
