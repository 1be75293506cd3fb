import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { nativeProtocol, recordRun, replayRun } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart, Question } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";

const requestedSchema = {
  type: "object" as const,
  properties: { days: { type: "integer" as const }, copies: { type: "integer" as const, default: 1 } },
  required: ["days"],
};

/** A toolkit with a server whose tool `borrow` asks for how long. */
async function library(): Promise<Toolkit> {
  const server = new Server({ name: "library", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "borrow", inputSchema: { type: "object" } }] }));
  server.setRequestHandler("tools/call", async () => {
    const { action, content } = await server.elicitInput({ message: "For how long?", requestedSchema });
    return { content: [{ type: "text", text: `${action} ${JSON.stringify(content)}` }] };
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const kit = new Toolkit();
  await kit.registerMcpClient(
    createMcpClient({ name: "library", transport: () => ours, elicitation: "host", sampling: "host" }),
  );
  return kit;
}

const native: ModelPart[] = [{ type: "call", call: { id: "", name: "borrow", input: {}, protocol: "native" } }];
const tam = "<|[REQUEST_TOOL]|>\ncommand:»»»borrow«««\n<|[END_TOOL]|>";

it.each([
  ["calls", nativeProtocol(), native],
  ["plans", tamProtocol({ prompt: tamPrompt }), tam],
] as const)(
  "a server's question reaches the host in mid-call, in %s, and a replay asks nobody",
  async (_, protocol, call) => {
    const kit = await library();
    const asked: Question[] = [];
    const run = recordRun(
      {
        model: scriptedModel([call, "Done."]),
        protocol,
        executor: toolkitExecutor(kit),
        tools: kit,
        ask: (question) => {
          asked.push(question);
          return { action: "accept", content: { days: 7 } };
        },
      },
      "Go",
    );
    const events = await collect(run);
    const { status, results } = await run.result;
    expect(status).toBe("answered");
    expect(results).toMatchObject([
      { status: "ok", content: [{ type: "text", text: 'accept {"days":7,"copies":1}' }] },
    ]);
    const question = { kind: "elicitation", server: "library", message: "For how long?", mode: "form" };
    expect(asked).toMatchObject([question]);
    expect(only(events, "question")).toMatchObject([{ question, callId: results[0]?.callId }]);
    await kit.close();
    const played = replayRun(run.recording, { protocol });
    expect(await collect(played)).toEqual(events);
    expect([played.divergence, asked.length]).toEqual([undefined, 1]);
  },
);
