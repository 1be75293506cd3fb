import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AskValue, ValueRequest } from "@toolglot/secrets";
import { styleFor, TerminalView } from "toolglot/parts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DemoStore, openStore } from "../../src/data/store.ts";
import { createPlanner } from "../../src/planner/planner.ts";
import { startTourServer, type TourServer } from "../../src/tour/server.ts";
import { runQuestion, type TestRun } from "../support/agent.ts";
import { testProject } from "../support/project.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-values-"));
const dataHome = process.env.XDG_DATA_HOME;
let store: DemoStore;

beforeAll(() => {
  // The user's own store is none of a test's business.
  process.env.XDG_DATA_HOME = folder;
  store = openStore(folder);
});

afterAll(() => {
  if (dataHome === undefined) delete process.env.XDG_DATA_HOME;
  else process.env.XDG_DATA_HOME = dataHome;
  rmSync(folder, { recursive: true, force: true });
});

/** A project whose user answers so, and a server that runs there. */
async function projectWith(answer: (token: string) => Awaited<ReturnType<AskValue>>) {
  const asked: ValueRequest[] = [];
  let token = "";
  const askValue: AskValue = async (request) => {
    asked.push(request);
    return answer(token);
  };
  const { session } = testProject(store, {}, { session: { askValue } });
  const local = await session.local();
  const run = async (script: string): Promise<string> =>
    (await local.command({ script }, { ask: async () => ({ approved: true }) })).output;
  const server = (await startTourServer(run)) as TourServer;
  token = server.token;
  const question = `call ${server.url} with the token SHOP_TOKEN`;
  const call = () => runQuestion(session, question, { model: createPlanner(), protocol: "toolsxml" });
  return { session, server, asked, call };
}

it("should ask for a value, send it in a real request, and show nothing of it", async () => {
  const { server, asked, call } = await projectWith((value) => ({ value }));
  const { result, events, called } = await call();
  expect(asked).toMatchObject([{ key: "SHOP_TOKEN", reason: `To call ${server.url}`, canKeep: true }]);
  expect(called).toEqual(["get_value", "command"]);
  expect(result.text).toContain(`${server.url} accepted the token:\n\n  200 `);
  expect(result.text).toContain('"accepted":true,"authorization":"Bearer ‹SHOP_TOKEN›"');
  expect(result.text).toContain("I was shown ‹SHOP_TOKEN› in its place.");
  expect(JSON.stringify([result, events])).not.toContain(server.token);
  expect(drawn(events)).toMatch(/waiting for the value of SHOP_TOKEN\n[\s\S]*SHOP_TOKEN: given, for this session\n/);
  await server.close();
  expect((await call()).result.text).not.toContain("200");
});

it("should say so when the server refuses the value, and when there is none", async () => {
  const refused = await (await projectWith(() => ({ value: "some other token" }))).call();
  expect(refused.result).toMatchObject({ status: "answered", denied: 0 });
  expect(refused.result.text).toMatch(/did not accept the token:\n[\s\S]* 401 \{"accepted":false/);
  const none = await (await projectWith(() => undefined)).call();
  expect(none.result).toMatchObject({ status: "answered", denied: 0 });
  expect(none.result.text).toBe("You gave no value, so I did not go on.");
  expect(none.called).toEqual(["get_value"]);
  expect(drawn(none.events)).toContain("SHOP_TOKEN: no value was given\n");
});

/** What a person sees of a run. */
function drawn(events: TestRun["events"]): string {
  let text = "";
  const write = (piece: string): void => {
    text += piece;
  };
  const view = new TerminalView({ write, columns: () => 100, style: styleFor({}, {}) });
  for (const event of events) view.event(event);
  return text;
}
