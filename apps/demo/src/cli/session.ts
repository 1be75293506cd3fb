import type { AgentEvent, AgentOptions, ApproveCallback } from "@toolglot/agent";
import type { Executor, Locale, Model, ProtocolMode } from "@toolglot/core";
import { createSandbox, type Sandbox, sandboxExecutor } from "@toolglot/sandbox";
import { type TaskEvent, Tasks, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import type { DemoStore } from "../data/store.ts";
import { demoTools } from "../tools/index.ts";
import { type ProtocolName, protocolOf } from "./protocols.ts";

/** Everything that lives as long as the demo does. */
export interface Session {
  toolkit: Toolkit;
  /** The asynchronous tools that run in the background. */
  tasks: Tasks;
  /** Tells what they do, to one listener at a time. */
  watchTasks(listener: (event: TaskEvent) => void): void;
  /** Runs ATTP programs; made when first needed. */
  sandbox(): Sandbox;
  dispose(): Promise<void>;
}

/** Makes the toolkit over the store's data. */
export function openSession(store: DemoStore): Session {
  const toolkit = new Toolkit();
  for (const tool of demoTools(store)) toolkit.registerToolFunction(tool);
  let sandbox: Sandbox | undefined;
  const tasks = new Tasks();
  let unwatch: (() => void) | undefined;
  return {
    toolkit,
    tasks,
    watchTasks(listener) {
      unwatch?.();
      unwatch = tasks.events.subscribe(listener);
    },
    sandbox() {
      sandbox ??= createSandbox({ language: "python", imports: "ignore-allowed" });
      return sandbox;
    },
    async dispose() {
      await tasks.close();
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

/** What one run is made of. */
export interface RunSetup {
  session: Session;
  model: Model;
  protocol: ProtocolName;
  locale: Locale;
  mode: ProtocolMode;
  approve: ApproveCallback;
  onEvent: (event: AgentEvent) => void;
}

/** What the agent needs for one protocol, over the session's tools. */
export function agentOptions({ session, protocol, ...setup }: RunSetup): AgentOptions {
  return {
    ...setup,
    protocol: protocolOf(protocol, setup.locale),
    tools: session.toolkit.tools(),
    executor: executorOf(protocol, session),
  };
}

function executorOf(protocol: ProtocolName, { toolkit, tasks, sandbox }: Session): Executor {
  return protocol === "attp"
    ? sandboxExecutor(sandbox(), { tools: toolkit.tools() })
    : toolkitExecutor(toolkit, { tasks });
}
