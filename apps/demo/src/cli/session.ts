import type { AgentEvent, AgentOptions, ApproveCallback } from "@toolglot/agent";
import type { Executor, Locale, Model, ProtocolMode, ToolDefinition } from "@toolglot/core";
import { createSandbox, type Sandbox, sandboxExecutor } from "@toolglot/sandbox";
import { type TaskEvent, Tasks, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import type { DemoStore } from "../data/store.ts";
import { openTrp, type TrpLink, type TrpOptions } from "../router/trp-link.ts";
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
  /** The way to a router; made when first needed. Rejects when a running router can't be reached. */
  trp(): Promise<TrpLink>;
  dispose(): Promise<void>;
}

/** Makes the toolkit over the store's data. */
export function openSession(store: DemoStore, router: TrpOptions = {}): Session {
  const toolkit = new Toolkit();
  for (const tool of demoTools(store)) toolkit.registerToolFunction(tool);
  let sandbox: Sandbox | undefined;
  let link: Promise<TrpLink> | undefined;
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
    trp() {
      link ??= openTrp(store, router);
      return link;
    },
    async dispose() {
      await tasks.close();
      await (await link?.catch(() => undefined))?.close();
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
export async function agentOptions({ session, protocol, ...setup }: RunSetup): Promise<AgentOptions> {
  return {
    ...setup,
    ...(await offerOf(protocol, setup.locale, session)),
    protocol: protocolOf(protocol, setup.locale),
  };
}

/** What a model is shown with a protocol, and what runs its calls. */
export async function offerOf(
  protocol: ProtocolName,
  locale: Locale,
  session: Session,
): Promise<{ tools: readonly ToolDefinition[]; executor: Executor }> {
  if (protocol === "trp") {
    const link = await session.trp();
    return { tools: [await link.tool(locale)], executor: link.executor };
  }
  const { toolkit, tasks } = session;
  const tools = toolkit.tools();
  const executor =
    protocol === "attp" ? sandboxExecutor(session.sandbox(), { tools }) : toolkitExecutor(toolkit, { tasks });
  return { tools, executor };
}
