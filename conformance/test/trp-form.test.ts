import { errorCodes } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { readTrpFiles, readTrpVectors, type TrpFile, type ValuesFile } from "../src/trp/vector.ts";

const files = Object.entries(readTrpFiles()) as [string, TrpFile | ValuesFile][];

it.each(files)("keeps the form of %s", (name, file) => {
  expect(file).toMatchObject({ protocol: "trp", topic: name.replace(".json", ""), about: expect.stringMatching(/\S/) });
  const items: { name?: unknown; spec?: unknown; steps?: unknown[] }[] = "values" in file ? file.values : file.vectors;
  expect(items.length).toBeGreaterThan(0);
  for (const item of items) {
    expect(item.name, JSON.stringify(item)).toMatch(/^[\w-]+$/);
    if ("values" in file) continue;
    expect(item.spec, String(item.name)).toMatch(/\S/);
    expect(item.steps?.length, String(item.name)).toBeGreaterThan(0);
  }
});

it("expects something in every step that sends something", () => {
  for (const { vectors } of readTrpVectors())
    for (const { name, steps } of vectors)
      for (const step of steps) {
        if ("send" in step && step.async === undefined) expect(step.fault ?? step.reply, name).toBeDefined();
        if ("await" in step) expect(step.fault ?? step.reply, name).toBeDefined();
      }
});

it("has a way to each code", () => {
  const codes = JSON.stringify(readTrpVectors()).match(/TRP_\d{4}/g);
  // Nothing can be cancelled without CANCEL_REQ.
  const missing = Object.keys(errorCodes).filter((code) => code !== "TRP_3005" && !codes?.includes(code));
  expect(missing).toEqual([]);
});
