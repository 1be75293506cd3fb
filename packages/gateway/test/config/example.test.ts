import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";

const example = fileURLToPath(new URL("../../../../examples/gateway", import.meta.url));

it("should find nothing wrong with the example, and be able to start its servers", async () => {
  // Beside this package, where the servers find what they import.
  const folder = mkdtempSync(join(fileURLToPath(new URL("../../node_modules", import.meta.url)), ".example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(example, folder, { recursive: true });
  const { servers, notices } = await loadConfig({ files: [join(folder, "toolglot.json")], home: folder });
  expect(notices).toEqual([]);
  expect(servers.map(({ name }) => name)).toEqual(["shop", "notes"]);
  const clients = servers.map(({ name, transport }) => createMcpClient({ name, transport }));
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
  const [shop, notes] = clients as [(typeof clients)[0], (typeof clients)[0]];
  const [ofShop, ofNotes] = await Promise.all(clients.map((client) => client.listTools()));
  expect(ofShop?.map(({ name }) => name)).toEqual(["get_order", "refund", "import_catalog"]);
  expect(ofNotes?.map(({ name }) => name)).toEqual(["list_notes", "add_note", "clear_notes"]);
  const textOf = async (client: typeof shop, name: string, args: object) => {
    const { content = [] } = await client.callTool({ name, arguments: args as never, repeatable: false });
    return (content[0] as { text: string }).text;
  };
  expect(await textOf(shop, "get_order", { id: "A-1" })).toContain("lantern");
  expect(await textOf(shop, "refund", { id: "A-1", amount: 40 })).toContain("Refund 1");
  expect(await textOf(shop, "refund", { id: "A-1", amount: 40 })).toContain("too much");
  expect(await textOf(shop, "import_catalog", { pages: 1 })).toBe("1 pages imported.");
  expect(await textOf(notes, "add_note", { note: "a" })).toContain("Note 1");
  expect(await textOf(notes, "list_notes", {})).toBe("1. a");
  expect(await textOf(notes, "clear_notes", {})).toBe("1 notes are gone.");
});
