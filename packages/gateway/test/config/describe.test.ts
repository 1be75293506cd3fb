import { principal } from "@toolglot/trp-core";
import type { ImportedTool } from "@toolglot/trp-mcp";
import { expect, it } from "vitest";
import { describeTable, describeTools } from "../../src/config/describe.ts";
import type { PolicySettings } from "../../src/config/settings.ts";
import { load, withSettings } from "./rig.ts";

const tool = (name: string, given: Partial<ImportedTool>): ImportedTool => ({
  server: "shop",
  tool: name,
  shownName: `shop__${name}`,
  capId: `cap.mcp.shop.${name}.v1`,
  listed: { name: `shop__${name}`, inputSchema: {} },
  io: "WRITE",
  risk: "HIGH",
  effect: "opaque",
  repeat: { mode: "window", windowMs: 600_000 },
  settings: {},
  ...given,
});

const tools = [
  tool("get", { io: "READ", risk: "LOW", effect: "pure" }),
  tool("refund", {}),
  tool("put", { risk: "MEDIUM", effect: "idempotent" }),
  tool("click", { repeat: { mode: "free", windowMs: 1 } }),
  tool("wipe", { risk: "CRITICAL", repeat: { mode: "in-doubt", windowMs: 1 } }),
];

const rules = [
  { id: "large", decision: "deny", which: { families: ["cap.mcp.shop.refund"] }, args: [{ at: "/n", greaterThan: 5 }] },
  { id: "often", decision: "deny", which: { ioClass: "WRITE" }, rate: { limit: 1, windowMs: 60_000 } },
  { id: "others", decision: "deny", who: { roles: ["x"] }, when: { weekdays: ["mon"] } },
  { id: "clicks", decision: "allow", which: { families: ["cap.mcp.shop.click"] } },
];

it("should say for each tool what is decided and what happens to the same call again", async () => {
  const { policy, settings } = await load(withSettings({ policy: { version: "1", rules } }));
  const options = { policy, rules: (settings.policy as PolicySettings).rules };
  const rows = await describeTools(tools, options);
  expect(rows.map(({ tool: name, decision, rule, repeat }) => [name, decision, rule, repeat])).toEqual([
    ["get", "allow", "low-allowed", "runs"],
    ["refund", "approve", "high-needs-approval", "same result for 10 min"],
    ["put", "allow", "medium-allowed", "runs, unless in doubt"],
    ["click", "allow", "clicks", "runs, also in doubt"],
    ["wipe", "hidden", "critical-needs-can-delete", "runs, unless in doubt"],
  ]);
  expect(rows[1]?.sometimes).toEqual(["deny by large", "deny by often"]);
  // No rate was used up: asked once more, it says the same.
  expect(await describeTools(tools, options)).toEqual(rows);
  const [, , , , wipe] = await describeTools(tools, { ...options, principal: principal({ id: "a", canDelete: true }) });
  expect(wipe?.decision).toBe("approve");
});

it("should print a table with columns, without secrets and without what moves a cursor", async () => {
  const { policy } = await load({ mcpServers: {} });
  const odd = tool("x\u001b[2Jtoken-123\u202e", { server: "token-123" });
  const rows = await describeTools([odd], { policy, mask: (text) => text.replaceAll("token-123", "[secret T]") });
  expect(JSON.stringify(rows)).not.toContain("token-123");
  const table = describeTable(rows);
  expect(table).not.toMatch(/token-123|[^\P{C}\n]/u);
  expect(describeTable([])).toBe("TOOL  CAPABILITY  RISK  EFFECT  DECISION  THE SAME AGAIN");
  expect(table.split("\n")).toHaveLength(2);
});
