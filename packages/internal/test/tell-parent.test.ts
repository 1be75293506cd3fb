import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { bundle } from "../testing/programs.ts";

it("should tell a parent everything that does not read for a while", async () => {
  const program = await bundle("much", import.meta.dirname);
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  // Longer than it takes to fill the pipe.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const parts: Buffer[] = [];
  child.stdout.on("data", (part) => parts.push(part));
  const [code] = await once(child, "close");
  const lines = Buffer.concat(parts).toString().split("\n");
  expect([code, lines.length, lines.at(-2)]).toEqual([0, 20_001, "line 19999"]);
});
