import type { AgentEvent, AgentOptions, ApproveCallback } from "@toolglot/agent";
import type { AnyTool, Executor, Locale, ProtocolMode, ToolDefinition } from "@toolglot/core";
import { type DurableExecutorOptions, sandboxExecutor } from "@toolglot/sandbox";
import { toolkitExecutor } from "@toolglot/toolkit";
import { languageOfVariables, type ProtocolName } from "./protocol-names.ts";
import { protocolOf } from "./protocols.ts";
import type { Session } from "./session.ts";

/** What one run is made of. */
export interface RunSetup
  extends Pick<AgentOptions, "model" | "price" | "maxTokens" | "context" | "limits" | "system"> {
  session: Session;
  protocol: ProtocolName;
  locale: Locale;
  mode: ProtocolMode;
  approve: ApproveCallback;
  onEvent: (event: AgentEvent) => void;
  /** The programs share the variables of the kept session. Default false. */
  isKept?: boolean;
}

/** What the agent needs for one protocol, over the session's tools. */
export async function agentOptions({ session, protocol, isKept = false, ...setup }: RunSetup): Promise<AgentOptions> {
  return {
    ...setup,
    ...(await offerOf(protocol, setup.locale, session, isKept)),
    protocol: protocolOf(protocol, setup.locale, isKept),
  };
}

/** What a model is shown with a protocol, and what runs its calls. `isKept`: programs share the variables of the kept session. */
export async function offerOf(
  protocol: ProtocolName,
  locale: Locale,
  session: Session,
  isKept = false,
): Promise<{ tools: () => readonly ToolDefinition[]; executor: Executor }> {
  if (protocol === "trp") {
    const link = await session.trp();
    const command = await link.tool(locale);
    return { tools: () => [command], executor: link.executor };
  }
  if (protocol === "trp-code" || protocol === "trp-code-js") {
    const link = await session.trp();
    const sandbox = session.sandbox(protocol === "trp-code" ? "python" : "javascript");
    const approve: DurableExecutorOptions["approve"] = async (request, context) => {
      const decision = await context.approve(request);
      return session.isLater() ? "later" : decision;
    };
    const durable = { storage: session.programs.storage, approve };
    const run = (tools: readonly AnyTool[]): Executor => sandboxExecutor(sandbox, { tools, durable });
    const { tools, executor } = await link.programs(locale, run, session.asks);
    return { tools, executor: session.programs.keeping(executor) };
  }
  const { toolkit, tasks } = session;
  const tools = () => toolkit.tools();
  const language = languageOfVariables(protocol);
  if (language) {
    const kept = isKept ? await session.kept() : undefined;
    const variables = await kept?.variables(language);
    const executor = sandboxExecutor(session.sandbox(language), { tools, ...(variables && { session: variables }) });
    return { tools, executor };
  }
  const others = toolkitExecutor(toolkit, { tasks });
  if (!session.worksWith(protocol)) return { tools, executor: others };
  // The machine itself has calls of its own; those of other tools stand beside them.
  const [local, { secrets }, { localExecutor }, { maskingExecutor }] = await Promise.all([
    session.local(),
    session.secrets(),
    import("@toolglot/local-tools"),
    import("@toolglot/secrets"),
  ]);
  const executor = maskingExecutor(localExecutor(local, { others }), secrets);
  return { tools: () => [...local.tools(), ...tools()], executor };
}
