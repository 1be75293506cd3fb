import { type AnyTool, type Executor, type Locale, type ToolDefinition, ToolglotError } from "@toolglot/core";
import type { Toolkit } from "@toolglot/toolkit";
import {
  createClient,
  inProcessTransport,
  programExecutor,
  programTools,
  routerExecutor,
  routerTool,
  type Transport,
} from "@toolglot/trp-client";
import { httpTransport, wsTransport } from "@toolglot/trp-client/node";
import type { OpenedModule } from "../modules/load-module.ts";
import { type ApprovalDesk, deskOf, remoteDesk } from "./approval-desk.ts";
import { localAgent, readEnvironment } from "./environment.ts";
import { makeRouter } from "./make-router.ts";
import { readOperatorToken } from "./operator-token.ts";
import { openChosenStore, readStoreChoice } from "./store-choice.ts";

/** Which router is meant. */
export interface TrpOptions {
  /** A running one; without it there is one in the process, on the data folder's store. */
  url?: string | undefined;
  /** The token that identifies the agent to a running router. */
  token?: string | undefined;
}

/** An agent's way to a router. */
export interface TrpLink {
  /** The one tool a model sees. Rejects when the router sends no catalog. */
  tool(locale: Locale): Promise<ToolDefinition>;
  executor: Executor;
  /**
   * The capabilities as functions of programs, and what runs those; `run` makes the executor of one program. `asks`: somebody
   * decides in mid-program, else a program waits.
   */
  programs(
    locale: Locale,
    run: (tools: readonly AnyTool[]) => Executor,
    asks: boolean,
  ): Promise<{ tools: () => readonly ToolDefinition[]; executor: Executor }>;
  close(): Promise<void>;
}

interface Ways {
  transport: Transport;
  /** Sends decisions to the router; absent when nobody may decide. */
  desk: ApprovalDesk | undefined;
  close(): Promise<void>;
}

/** What the router in the process works on. */
interface LinkPlace {
  /** The data folder. */
  folder: string;
  modules: readonly OpenedModule[];
  toolkit: Toolkit;
  env: NodeJS.ProcessEnv;
}

/** Opens the link. The agent is `local-agent`, and the person at the terminal decides as `local-operator`. */
export async function openTrp(data: LinkPlace, { url, token }: TrpOptions): Promise<TrpLink> {
  const { transport, desk, close } = url === undefined ? await ownRouter(data) : runningRouter(data, url, token);
  const client = createClient({ transport, agentId: "toolglot" });
  const approvals = desk ? { approvals: approvalsAt(desk) } : {};
  const asking = (executor: Executor): Executor => ({
    ...executor,
    async execute(action, context) {
      const approve = desk ? askedInTheRoutersWords(context.approve, desk) : context.approve;
      return executor.execute(action, { ...context, approve });
    },
  });
  return {
    tool: (locale) => routerTool(client, { locale }),
    executor: asking(routerExecutor(client, approvals)),
    async programs(locale, run, asks) {
      const shown = await programTools(client, { runId: "shown", locale });
      const executor = asking(programExecutor(client, run, { ...(asks && approvals), locale }));
      return { tools: () => shown, executor };
    },
    async close() {
      await client.close();
      await close();
    },
  };
}

async function ownRouter({ folder, modules, toolkit, env }: LinkPlace): Promise<Ways> {
  const store = await openChosenStore(readStoreChoice(undefined, folder));
  const router = makeRouter({ modules, toolkit, store, environment: readEnvironment(env) });
  return {
    transport: inProcessTransport(router, localAgent),
    desk: deskOf(router),
    async close() {
      await router.close();
      await store.close();
    },
  };
}

function runningRouter(data: LinkPlace, url: string, token: string | undefined): Ways {
  const operatorToken = readOperatorToken(data.folder);
  const options = { url, ...(token !== undefined && { token }) };
  return {
    transport: /^ws/i.test(url) ? wsTransport(options) : httpTransport(options),
    // Approvals are asked over HTTP, on the same port.
    desk: operatorToken === undefined ? undefined : remoteDesk(url.replace(/^ws/i, "http"), operatorToken),
    close: async () => undefined,
  };
}

function approvalsAt(desk: ApprovalDesk): NonNullable<Parameters<typeof routerExecutor>[1]>["approvals"] & object {
  return {
    async decide({ approvalId }, { approved, reason }) {
      if (approvalId === undefined)
        throw new ToolglotError("no-request", "The router keeps no request to decide about.");
      await desk.decide(approved ? "approve" : "deny", approvalId, reason);
    },
  };
}

type Approve = Parameters<Executor["execute"]>[1]["approve"];

/** A person is asked in the router's words: what the model wrote about its call is no ground for a decision. */
function askedInTheRoutersWords(approve: Approve, desk: ApprovalDesk): Approve {
  return async (request) => {
    const open = await desk.list("pending").catch(() => []);
    const asked = open.find(({ id }) => request.reason.includes(id));
    return approve(asked ? { ...request, reason: asked.text } : request);
  };
}
