import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "@toolglot/internal";
import { expect, it } from "vitest";
import { open } from "./support.ts";

/** A server that notes its process, and never answers. */
function silent(pidFile: string): { command: string; args: string[] } {
  const script = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); process.stdin.resume();`;
  return { command: process.execPath, args: ["-e", script] };
}

function isRunning(pidFile: string): boolean {
  if (!existsSync(pidFile)) return false;
  try {
    return process.kill(Number(readFileSync(pidFile, "utf8")), 0);
  } catch {
    return false;
  }
}

it("leaves no server behind when its store can't be opened: servers are started beside it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-start-"));
  writeFileSync(join(folder, "file"), "no folder");
  const pidFile = join(folder, "pid");
  await expect(open({ shop: silent(pidFile) }, { store: "sqlite:file/gateway.db" }, {}, folder)).rejects.toMatchObject({
    code: "gateway/store",
  });
  await sleep(300);
  expect(isRunning(pidFile)).toBe(false);
});
