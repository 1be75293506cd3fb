import { getEventListeners } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { ApprovalRequest } from "@toolglot/core";
import { expect, it } from "vitest";
import { Allowed, approver } from "../src/cli/approve.ts";
import { wordsFor } from "../src/words/index.ts";

const request = (input: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...{ kind: "tool-call", callId: "c", tool: "command", input, reason: "It runs a command." },
  ...more,
});
const run = { signal: new AbortController().signal };

/** A person who presses the arrow down so many times, then Enter, for each question. */
function person(...answers: number[]): { approve: ReturnType<typeof approver>; asked: () => string } {
  let shown = "";
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = new Writable({
    write(chunk, _, done) {
      shown += chunk;
      done();
    },
  });
  const allowed = new Allowed();
  const decide = approver({ yes: false, terminal: { output, input: input as never }, allowed });
  return {
    approve: (given, options) => {
      const decision = decide(given, options);
      const downs = answers.shift();
      if (downs !== undefined) {
        for (let index = 0; index < downs; index += 1) input.write("\u001b[B");
        input.write("\r");
      }
      return decision;
    },
    asked: () => shown,
  };
}

it("should say no when a person only presses Enter", async () => {
  const { approve } = person(0);
  expect(await approve(request({ script: "npm test" }), run)).toEqual({
    ...{ approved: false, reason: "you said no", by: "you" },
  });
});

it("should approve once, and ask again for the same", async () => {
  const { approve, asked } = person(1, 0);
  expect(await approve(request({ script: "npm test" }), run)).toEqual({ approved: true, by: "you" });
  expect((await approve(request({ script: "npm test" }), run)).approved).toBe(false);
  expect(asked()).toContain("script: npm test");
});

it("should leave nothing listening to the run's signal when the person has answered", async () => {
  const { approve } = person(1, 0);
  const { signal } = new AbortController();
  await approve(request({ script: "npm test" }), { signal });
  await approve(request({ script: "npm test" }), { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("should take the end of the run for an answer", async () => {
  const { approve } = person();
  const controller = new AbortController();
  const decision = approve(request({ script: "npm test" }), controller);
  controller.abort();
  expect((await decision).approved).toBe(false);
  expect((await approve(request({ script: "npm test" }), controller)).approved).toBe(false);
});

it("should approve the same call again without a question, and say so, but no other", async () => {
  const { approve } = person(2);
  await approve(request({ script: "npm test" }), run);
  expect(await approve(request({ script: "npm test" }), run)).toEqual({
    ...{ approved: true, by: "you, for this call until it ends" },
  });
  const other = person(2, 0);
  await other.approve(request({ script: "npm test" }), run);
  expect((await other.approve(request({ script: "npm test; rm -rf /" }), run)).approved).toBe(false);
});

it("should approve every call of a tool that was allowed, and of no other tool", async () => {
  const { approve } = person(3);
  await approve(request({ script: "npm test" }), run);
  expect(await approve(request({ script: "npm run lint" }), run)).toEqual({
    ...{ approved: true, by: "you, for command until it ends" },
  });
  const other = person(3, 0);
  await other.approve(request({ script: "npm test" }), run);
  expect((await other.approve(request({ files: [] }, { tool: "edit" }), run)).approved).toBe(false);
});

it("should ask each time about a call that stood in a page before", async () => {
  const { approve, asked } = person(3, 1, 0);
  await approve(request({ script: "npm test" }), run);
  const echoed = request({ script: "npm test" }, { kind: "echoed-block", reason: "It stood in a page." });
  expect(await approve(echoed, run)).toEqual({ approved: true, by: "you" });
  expect((await approve(echoed, run)).approved).toBe(false);
  expect(asked()).toContain("It stood in a page. Run it?");
});

it("should deny without a terminal in the language that was asked for", async () => {
  const decision = await approver({ yes: false, words: wordsFor("zh") })(request({}), run);
  expect(decision).toEqual({ approved: false, reason: wordsFor("zh").why.noTerminal, by: "命令行" });
});
