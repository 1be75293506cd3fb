import { createHash } from "node:crypto";
import type { JsonObject, OperationRecord } from "@toolglot/core";
import { type NameTool, nameTools } from "@toolglot/gateway";
import { canonicalJson, defined, isObject } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import type { GatewayRun } from "./flags.ts";
import { onGatewayStore } from "./on-gateway-store.ts";

interface InDoubtOptions {
  tenant?: string;
  json?: boolean;
  comment?: string;
}

/** What a person found out about a call. */
export const outcomes = ["happened", "not-happened", "failed"] as const;

/** More calls in doubt than any person settles one by one. */
const most = 10_000;

/** A call in doubt, as a person sees it. */
interface ShownCall {
  /** Names it here. */
  id: string;
  /** What the client got. */
  receipt: string;
  /** Names as their owner knows them. Absent for what is no server's. */
  server?: string;
  tool?: string;
  principal: string;
  since: string;
  arguments: unknown;
}

/** Shows the calls in doubt of a tenant. */
export function listInDoubt(run: GatewayRun<InDoubtOptions>): Promise<number> {
  return onGatewayStore(run, async ({ router, operator, config: { servers, disabled } }) => {
    const { stdout, env } = run.host;
    const toolOf = await nameTools(router.store, [...servers.map(({ name }) => name), ...disabled]);
    const style = styleFor(stdout, env);
    const found = await router.operations.inDoubt(operator, most);
    if (found.length === 0 && !run.flags.json) stdout.write(`${run.say.inDoubt.none}\n`);
    for (const record of found) {
      const call = shownCall(record, toolOf);
      const { id, receipt, server, tool, principal, since } = call;
      const lines = [
        `${style.accent(id)}  ${visible(receipt)}`,
        ...(server === undefined || tool === undefined ? [] : [`  ${visible(server)} › ${visible(tool)}`]),
        `  ${visible(principal)}  ${run.say.inDoubt.since(since)}`,
        `  ${visible(JSON.stringify(call.arguments))}`,
      ];
      stdout.write(run.flags.json ? `${JSON.stringify(call)}\n` : lines.map((line) => `${line}\n`).join(""));
    }
    return exitCodes.answered;
  });
}

/** Settles one call. Rejects with `UsageError` when it is not to be told which. */
export function resolveInDoubt(
  run: GatewayRun<InDoubtOptions>,
  id: string,
  outcome: (typeof outcomes)[number],
): Promise<number> {
  const say = run.say.inDoubt;
  return onGatewayStore(run, async ({ router, operator }) => {
    const all = await router.operations.inDoubt(operator, most);
    const found = all.filter((record) => {
      const call = shownCall(record);
      return call.receipt === id || call.id === id || (id.length >= 4 && call.id.startsWith(id));
    });
    const [record] = found;
    if (record === undefined) throw new UsageError(say.unknown(id));
    if (found.length > 1) throw new UsageError(say.several(id));
    await router.operations.resolve(operator, record, resolutionOf(outcome, run));
    run.host.stdout.write(`${say.settled(shownCall(record).id, outcome)}\n`);
    return exitCodes.answered;
  });
}

type Resolution = Parameters<Router["operations"]["resolve"]>[2];

function resolutionOf(
  outcome: (typeof outcomes)[number],
  { flags: { comment }, say }: GatewayRun<InDoubtOptions>,
): Resolution {
  switch (outcome) {
    case "happened":
      return { state: "done", value: { content: [{ type: "text", text: comment ?? say.inDoubt.happened }] } };
    case "failed":
      return { state: "failed", message: comment ?? say.inDoubt.failed };
    case "not-happened":
      return { state: "not-applied" };
  }
}

function shownCall({ scope, key, data, startedAt }: OperationRecord, toolOf?: NameTool): ShownCall {
  const facts: JsonObject = isObject(data) ? (data as JsonObject) : {};
  const capId = typeof facts.cap_id === "string" ? facts.cap_id : "";
  const [, , principal] = JSON.parse(scope) as string[];
  const { server, tool } = toolOf?.(capId) ?? {};
  return {
    id: createHash("sha256")
      .update(canonicalJson([scope, key]))
      .digest("hex")
      .slice(0, 12),
    receipt: `${capId}/${encodeURIComponent(key)}`,
    ...defined({ server, tool }),
    principal: principal ?? "",
    since: startedAt === undefined ? "" : new Date(startedAt).toISOString(),
    arguments: facts.args ?? null,
  };
}
