import { expect, it } from "vitest";
import { main } from "../src/run.ts";
import { testHost } from "./support/in-process.ts";

const run = async (...args: string[]) => {
  const { host, written } = testHost();
  return { code: await main(args, { ...host, command: "toolglot" }), ...written };
};

it.each([
  [["gatewya"], "gateway"],
  [["gatewy", "--config", "x.json"], "gateway"],
  [["Aprovals"], "approvals"],
  [["resum", "--json"], "resume"],
  [["chekc", "--lang", "zh"], "check"],
])("asks whether a command was meant, and asks no model: %j", async (args, meant) => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(` ${meant}`);
  expect(stderr).toContain(`toolglot -- ${args[0]}`);
});

it.each([[["--", "gatewya"]], [["gatewya is misspelt"]], [["chekc", "this"]], [["hello"]], [["test"]], [["何か"]]])(
  "takes everything else for a question: %j",
  async (args) => {
    const { stderr } = await run(
      ...(args[0] === "--" ? ["--model", "none/at-all", ...args] : [...args, "--model", "none/at-all"]),
    );
    expect(stderr).not.toContain("no command");
  },
);

it("shows help and version to those who ask for them in a word", async () => {
  expect(await run("help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--protocol") });
  expect((await run("version")).stdout).toMatch(/^\d+\.\d+\.\d+/);
});
