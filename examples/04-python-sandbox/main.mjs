// A model writes a Python program that calls your tools as functions. A second program wants a file of the host, and is
// refused with words that the model can act on.
import assert from "node:assert/strict";
import { createSandbox } from "@toolglot/sandbox";

const orders = [
  { id: 1, customer: "Ada", total: 12.5 },
  { id: 2, customer: "Bo", total: 99 },
  { id: 3, customer: "Ada", total: 7.25 },
];
const findOrders = {
  name: "find_orders",
  description: "Orders of a customer.",
  inputSchema: { type: "object", properties: { customer: { type: "string" } }, required: ["customer"] },
  annotations: { readOnlyHint: true },
  execute: async ({ customer }) => orders.filter((order) => order.customer === customer),
};

// The first start on a machine takes some seconds: the sandbox keeps a snapshot of Python's memory in your cache, and later
// starts take half a second.
const sandbox = createSandbox({ language: "python", tools: [findOrders], pool: { size: 0 } });
try {
  // The libraries of the standard set are there without an import. The program gives its value as __result__.
  const good = await sandbox.run(`
rows = find_orders("Ada")
print("found", len(rows))
__result__ = {"total": sum(r["total"] for r in rows), "mean": statistics.mean(r["total"] for r in rows)}
`);
  console.log(good.status, good.value, good.logs);

  const refused = await sandbox.run(`
with open("/etc/passwd") as file:
    __result__ = file.read()
`);
  console.log(refused.status, refused.error);

  assert.equal(good.status, "ok");
  assert.deepEqual(good.value, { total: 19.75, mean: 9.875 });
  assert.deepEqual(good.logs, [{ stream: "stdout", text: "found 2" }]);
  assert.deepEqual(
    good.toolCalls.map(({ name, args, ok }) => ({ name, args, ok })),
    [{ name: "find_orders", args: { customer: "Ada" }, ok: true }],
  );
  assert.equal(refused.status, "error");
  assert.equal(refused.error.type, "ForbiddenName");
  assert.equal(refused.error.line, 2);
  assert.equal(refused.toolCalls.length, 0);
} finally {
  await sandbox[Symbol.asyncDispose]();
}
