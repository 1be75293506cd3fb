import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "@toolglot/internal/testing/programs";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";

const example = fileURLToPath(new URL("../../../../examples/gateway", import.meta.url));
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** A copy of the example beside this package, where its programs find what they import. */
function copied(): string {
  const folder = mkdtempSync(join(modules, ".example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(example, folder, { recursive: true });
  return folder;
}

let toolglot: string;
beforeAll(async () => {
  toolglot = await bundle("toolglot", import.meta.dirname);
}, 60_000);

it("should find nothing wrong with the example's configuration, and be able to start its servers", async () => {
  const folder = copied();
  const { servers, notices } = await loadConfig({ files: [join(folder, "toolglot.json")], home: folder });
  expect(notices).toEqual([]);
  const clients = servers.map(({ name, transport }) => createMcpClient({ name, transport }));
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
  const [ofShop, ofNotes] = await Promise.all(clients.map((client) => client.listTools()));
  expect(ofShop?.map(({ name }) => name)).toEqual(["get_order", "refund", "import_catalog"]);
  expect(ofNotes?.map(({ name }) => name)).toEqual(["list_notes", "add_note", "clear_notes"]);
  const call = async (at: number, name: string, args: object) => {
    const request = { name, arguments: args as never, repeatable: false };
    const { content = [] } = (await clients[at]?.callTool(request)) ?? expect.fail("no such client");
    return (content[0] as { text: string }).text;
  };
  expect(await call(0, "refund", { id: "A-1", amount: 40 })).toContain("Refund 1");
  expect(await call(0, "refund", { id: "A-1", amount: 40 })).toContain("too much");
  expect(await call(0, "import_catalog", { pages: 1 })).toBe("1 pages imported.");
  expect(await call(1, "add_note", { note: "a" })).toContain("Note 1");
  expect(await call(1, "list_notes", {})).toBe("1. a");
  expect(await call(1, "clear_notes", {})).toBe("1 notes are gone.");
});

it("should show an approval, a replay and a refusal", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(copied(), "main.mjs"),
    process.execPath,
    toolglot,
  ]);
  const lines = stdout.split("\n").filter((line) => /^\w+__\w+: /.test(line));
  expect(lines).toEqual([
    "shop__get_order: done",
    "shop__refund: done",
    "shop__refund: replayed",
    "shop__get_order: done",
    "shop__refund: refused (TRP_4001)",
  ]);
});
