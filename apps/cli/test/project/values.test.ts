import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Model } from "@toolglot/core";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { Allowed } from "../../src/cli/approve.ts";
import { ask } from "../../src/cli/ask.ts";
import { Interrupts } from "../../src/cli/interrupts.ts";
import { KeptPermissions } from "../../src/cli/kept-permissions.ts";
import { parseArguments } from "../../src/cli/options.ts";
import { Session } from "../../src/cli/session.ts";
import { hostTerminal } from "../../src/cli/terminal.ts";
import { projectAt } from "../../src/project/user-folder.ts";
import { TerminalView } from "../../src/view/terminal-view.ts";
import { wordsFor } from "../../src/words/index.ts";
import { testHost } from "../support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-values-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("should warn when what the user types holds a value, and say where a value is kept", async () => {
  mkdirSync(join(folder, "project"));
  const project = projectAt(join(folder, "project"), folder);
  const session = new Session({ folder, project, env: { XDG_DATA_HOME: folder } });
  onTestFinished(() => session.dispose());
  const value = "tok-5f2b9c-8d1e7a";
  expect(await session.valuesIn("anything")).toEqual([]);
  const { secrets } = await session.secrets();
  await secrets.set("SHOP_TOKEN", value);
  expect(await session.valuesIn("is ‹SHOP_TOKEN› right?")).toEqual([]);
  expect(await session.valuesIn(`is ‹SHOP_TOKEN› ${value}?`)).toEqual(["SHOP_TOKEN"]);
  expect(await session.projectNotes({ edited: false, ran: false, kept: true })).toEqual([
    "The value is kept in an encrypted file; toolglot var list shows what is kept.",
  ]);
  const noted = await notesOf(`what is 6*7, ${value}?`, session);
  expect(noted).toMatch(/What you typed holds the value of SHOP_TOKEN/);
  expect(noted).not.toContain(value);
});

/** What the command line says beside a run. */
async function notesOf(question: string, session: Session): Promise<string> {
  const { host, written } = testHost();
  const parsed = await parseArguments(["--no-config", "--protocol", "native", question], host);
  if ("print" in parsed) throw new Error("no options");
  const model: Model = async function* answer() {
    yield "42";
    yield { type: "finish", reason: "stop" };
  };
  const terminal = hostTerminal(host, false);
  const words = wordsFor();
  await ask(question, {
    ...{ options: parsed.options, session, agent: { model }, currency: undefined, host, words, terminal },
    permissions: new KeptPermissions("/no-such-folder"),
    view: new TerminalView(terminal.screen, words),
    interrupts: new Interrupts(() => undefined),
    allowed: new Allowed(),
    declined: {},
    record: undefined,
  });
  return written.stderr;
}
