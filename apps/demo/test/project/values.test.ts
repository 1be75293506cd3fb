import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AskValue, ValueRequest } from "@toolglot/local-tools/secrets";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { Allowed } from "../../src/cli/approve.ts";
import { ask } from "../../src/cli/ask.ts";
import { Interrupts } from "../../src/cli/interrupts.ts";
import { parseArguments } from "../../src/cli/options.ts";
import { startTourServer, type TourServer } from "../../src/cli/tour-server.ts";
import { type DemoStore, openStore } from "../../src/data/store.ts";
import { createPlanner } from "../../src/planner/planner.ts";
import { styleFor } from "../../src/view/style.ts";
import { TerminalView } from "../../src/view/terminal-view.ts";
import { runQuestion, type TestRun } from "../support/agent.ts";
import { type TestProject, testProject } from "../support/project.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-values-"));
const dataHome = process.env.XDG_DATA_HOME;
let store: DemoStore;
let server: TourServer;

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

beforeEach(async () => {
  server = await startTourServer();
});

afterEach(() => server.close());

const projectWith = (askValue: AskValue): TestProject => testProject(store, {}, { session: { askValue } });

function call({ session }: TestProject): Promise<TestRun> {
  const question = `call ${server.url} with the token SHOP_TOKEN`;
  return runQuestion(session, question, { model: createPlanner(), protocol: "toolsxml" });
}

it("should ask for a value, send it in a real request, and show nothing of it", async () => {
  const asked: ValueRequest[] = [];
  const { result, events, called } = await call(
    projectWith(async (request) => {
      asked.push(request);
      return { value: server.token };
    }),
  );
  expect(asked).toMatchObject([{ key: "SHOP_TOKEN", reason: `To call ${server.url}`, canKeep: true }]);
  expect(called).toEqual(["get_value", "command"]);
  expect(result.text).toContain(`${server.url} accepted the token:\n\n  200 `);
  expect(result.text).toContain('"accepted":true,"authorization":"Bearer ‹SHOP_TOKEN›"');
  expect(result.text).toContain("I was shown ‹SHOP_TOKEN› in its place.");
  expect(JSON.stringify([result, events])).not.toContain(server.token);
  expect(drawn(events)).toMatch(/waiting for the value of SHOP_TOKEN\n[\s\S]*SHOP_TOKEN: given, for this session\n/);
});

it("should say so when the server refuses the value, and when there is none", async () => {
  const refused = await call(projectWith(async () => ({ value: "some other token" })));
  expect(refused.result).toMatchObject({ status: "answered", denied: 0 });
  expect(refused.result.text).toMatch(/did not accept the token:\n[\s\S]* 401 \{"accepted":false/);
  const none = await call(projectWith(async () => undefined));
  expect(none.result).toMatchObject({ status: "answered", denied: 0 });
  expect(none.result.text).toBe("You gave no value, so I did not go on.");
  expect(none.called).toEqual(["get_value"]);
  expect(drawn(none.events)).toContain("SHOP_TOKEN: no value was given\n");
});

it("should warn when what the user types holds a value, and say where a value is kept", async () => {
  const { session } = testProject(store, {}, {});
  expect(await session.valuesIn("anything")).toEqual([]);
  const { secrets } = await session.secrets();
  await secrets.set("SHOP_TOKEN", server.token);
  expect(await session.valuesIn("is ‹SHOP_TOKEN› right?")).toEqual([]);
  expect(await session.valuesIn(`is ‹SHOP_TOKEN› ${server.token}?`)).toEqual(["SHOP_TOKEN"]);
  expect(await session.projectNotes({ edited: false, ran: false, kept: true })).toEqual([
    "The value is kept in an encrypted file; npm run demo -- var list shows what is kept.",
  ]);
  const parsed = parseArguments(["what is 6*7?"]);
  if ("print" in parsed) throw new Error("no options");
  let noted = "";
  const screen = { write: () => undefined, columns: () => 100, style: styleFor({}) };
  await ask(`what is 6*7, ${server.token}?`, {
    options: { ...parsed.options, protocol: "native" },
    session,
    model: createPlanner(),
    view: new TerminalView(screen),
    interrupts: new Interrupts(() => undefined),
    terminal: {
      screen,
      interactive: false,
      promptOutput: undefined,
      out: () => undefined,
      note: (text) => {
        noted += text;
      },
    },
    allowed: new Allowed(),
    declined: {},
    record: undefined,
  });
  expect(noted).toMatch(/What you typed holds the value of SHOP_TOKEN/);
  expect(noted).not.toContain(server.token);
});

/** What a person sees of a run. */
function drawn(events: TestRun["events"]): string {
  let text = "";
  const write = (piece: string): void => {
    text += piece;
  };
  const view = new TerminalView({ write, columns: () => 100, style: styleFor({}) });
  for (const event of events) view.event(event);
  return text;
}
