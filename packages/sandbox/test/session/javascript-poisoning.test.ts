import { drawn, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, type SandboxSession } from "../../src/node/index.ts";
import { cleanTool, each, look, lookFresh, threads } from "../javascript/attack/clean-program.ts";
import { readSections } from "../support.ts";
import { value } from "./support.ts";

// What the programs of one session do to their engine is in no other session, fork, resumed session or plain program, all of
// which run in the same thread after it.

const poisons = readSections(new URL("../javascript/attack/poison.txt", import.meta.url)).map(({ name, code }) => ({
  name,
  fails: name.startsWith("!"),
  code: code.replace("{EACH}", each),
}));
const some = someOf(poisons, 4);
const sample = drawn(some, 4);

const { domain, reuse } = threads["one after another in one thread"];
const make = (): Sandbox =>
  createSandbox({ domain, reuse, language: "javascript", tools: [cleanTool], limits: { timeoutMs: 60_000 } });

/** What a program that looks for traces finds in a session, which stays as it is. */
async function lookIn(session: SandboxSession): ReturnType<typeof look> {
  const fork = await session.fork();
  try {
    return await look(fork as unknown as Sandbox);
  } finally {
    await fork.close({ forget: true });
  }
}

describe("after a program of another session", () => {
  const sandbox = make();
  let clean: SandboxSession;
  let fresh: Awaited<ReturnType<typeof look>>;
  let kept: Awaited<ReturnType<typeof look>>;
  beforeAll(async () => {
    fresh = await lookFresh(make);
    clean = await sandbox.openSession({ id: "clean" });
    await value(clean, "let counter = 0; const count = () => ++counter; return count();");
    kept = await lookIn(clean);
    expect(kept).toMatchObject({ status: "ok", toolCalls: 1 });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.for(some)("nothing is left of: $name", async ({ name, fails, code }, context) => {
    leftToCi(
      context,
      sample.some((one) => one.name === name),
    );
    await using bad = await sandbox.openSession();
    const run = await bad.run(code);
    expect(run.status, JSON.stringify(run).slice(0, 600)).toBe(fails ? "error" : "ok");
    expect(await look(sandbox)).toEqual(fresh);
    // In the same thread, which has the memory of the other session again.
    await bad.run("return 1;");
    await clean.close();
    clean = await sandbox.resumeSession("clean");
    expect(await lookIn(clean)).toEqual(kept);
    expect(await value(clean, "return count() === counter;")).toBe(true);
    await clean.undo();
  });

  it("finds the traces that are there, in the session that left them", async () => {
    await using bad = await sandbox.openSession();
    await value(bad, "let counter = 0; const count = () => ++counter; return count();");
    expect(await lookIn(bad)).toEqual(kept);
    await value(bad, "Array.prototype.left = 1; return 1;");
    expect(await lookIn(bad)).not.toEqual(kept);
  });
});
