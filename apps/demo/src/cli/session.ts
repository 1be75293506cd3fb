import { type AgentEvent, type AgentOptions, type ApproveCallback, nativeProtocol } from "@toolglot/agent";
import { attpProtocol } from "@toolglot/attp";
import type { Executor, Locale, Model, ProtocolMode, ToolProtocol } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { createSandbox, type Sandbox, sandboxExecutor } from "@toolglot/sandbox";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import type { DemoStore } from "../data/store.ts";
import { demoTools } from "../tools/index.ts";

/** Everything that lives as long as the demo does. */
export interface Session {
  toolkit: Toolkit;
  /** Runs ATTP programs; made when first needed. */
  sandbox(): Sandbox;
  dispose(): Promise<void>;
}

/** Makes the toolkit over the store's data. */
export function openSession(store: DemoStore): Session {
  const toolkit = new Toolkit();
  for (const tool of demoTools(store)) toolkit.registerToolFunction(tool);
  let sandbox: Sandbox | undefined;
  return {
    toolkit,
    sandbox() {
      sandbox ??= createSandbox({ language: "python", imports: "ignore-allowed" });
      return sandbox;
    },
    dispose: async () => sandbox?.[Symbol.asyncDispose](),
  };
}

/** What one run is made of. */
export interface RunSetup {
  session: Session;
  model: Model;
  protocol: "attp" | "native";
  locale: Locale;
  mode: ProtocolMode;
  approve: ApproveCallback;
  onEvent: (event: AgentEvent) => void;
}

/** What the agent needs for one protocol, over the session's tools. */
export function agentOptions({ session, protocol, ...setup }: RunSetup): AgentOptions {
  return {
    ...setup,
    protocol: protocolOf(protocol),
    tools: session.toolkit.tools(),
    executor: executorOf(protocol, session),
  };
}

/** The protocol by its name on the command line. */
export function protocolOf(name: "attp" | "native"): ToolProtocol {
  return name === "native" ? nativeProtocol() : (attpProtocol({ prompt: attpPrompt }) as unknown as ToolProtocol);
}

function executorOf(protocol: "attp" | "native", { toolkit, sandbox }: Session): Executor {
  return protocol === "native" ? toolkitExecutor(toolkit) : sandboxExecutor(sandbox(), { tools: toolkit.tools() });
}
