import { appendFileSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { JsonValue, Model, ModelPart } from "@toolglot/core";
import { openPostgres } from "@toolglot/postgres";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

// One life of a process whose DBOS workflow is the agent's loop. It kills itself at a moment: before and after each step, before and after
// its work, before and after each effect. DBOS goes on with the workflow when the next process starts.

/** What a life is given. */
export interface DbosLife {
  url: string;
  /** Names of schemas: DBOS's, and ours. */
  schemas: { dbos: string; toolglot: string };
  workflowID: string;
  /** A file with a line for each effect. */
  ledger: string;
  /** Number of the moment at which it dies; 0: never. */
  diesAt: number;
  /** Whether calls happen once. */
  isOnce: boolean;
}

/** What a life tells that came to the end of the workflow. */
export interface DbosEnd {
  status: string;
  text: string;
  /** Of the calls: id and status. */
  results: [callId: string, status: string][];
  /** Names of steps, as DBOS has them. */
  steps: string[];
  moments: number;
}

const { url, schemas, workflowID, ledger, diesAt, isOnce } = JSON.parse(process.argv[2] ?? "") as DbosLife;

let moments = 0;
async function moment(): Promise<void> {
  moments += 1;
  if (moments === diesAt) process.kill(process.pid, "SIGKILL");
}

const toolkit = new Toolkit();
const addTool = (name: string, annotations: object): void => {
  toolkit.registerToolFunction(
    defineTool({
      ...{ name, description: `Does ${name}.`, args: { key: "string" }, annotations },
      async execute({ key }) {
        await moment();
        appendFileSync(ledger, `${key}\n`);
        await moment();
        return `${name} of ${key}`;
      },
    }),
  );
};
addTool("effect", {});
addTool("destroy", { destructiveHint: true });

const call = (id: string, name = "effect"): ModelPart => ({
  type: "call",
  call: { id, name, input: { key: id }, protocol: "native" },
});
const turns: ModelPart[][] = [
  [call("a"), call("b")],
  [call("c", "destroy"), call("d")],
];
const model: Model = async function* ({ messages }) {
  yield* turns[messages.filter(({ role }) => role === "assistant").length] ?? ["Done."];
};

const storage = await openPostgres({ url, schema: schemas.toolglot });
const agent = createAgent({
  ...{ model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit.definitions() },
  ...(isOnce && { once: { storage, scope: "test", leaseMs: 1500 } }),
  steps: {
    async run(step, work) {
      await moment();
      const made = async (): Promise<JsonValue> => {
        await moment();
        const value = await work();
        await moment();
        return value;
      };
      const value = await DBOS.runStep(made, { name: step.name });
      await moment();
      return value;
    },
    async wait(name) {
      await moment();
      const value = (await DBOS.recv<JsonValue>(name)) ?? undefined;
      await moment();
      return value;
    },
  },
});
const workflow = DBOS.registerWorkflow(
  async (question: string) => {
    const { status, text, results } = await agent.run(question, { runId: String(DBOS.workflowID) }).result;
    return { status, text, results: results.map(({ callId, status }): [string, string] => [callId, status]) };
  },
  { name: "agent" },
);

const database = { systemDatabaseUrl: url, systemDatabaseSchemaName: schemas.dbos };
DBOS.setConfig({ name: "toolglot-test", applicationVersion: "1", logLevel: "error", ...database });
await DBOS.launch();
const handle = await DBOS.startWorkflow(workflow, { workflowID })("Go");
await DBOS.send(workflowID, true, "approval:c", `${workflowID}-c`);
const end = await handle.getResult();
const steps = (await DBOS.listWorkflowSteps(workflowID)) ?? [];
const told: DbosEnd = { ...end, steps: steps.map(({ name }) => name), moments };
process.stdout.write(JSON.stringify(told));
await DBOS.shutdown();
await storage.close();
