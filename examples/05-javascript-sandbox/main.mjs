// A model writes a JavaScript program that calls your tools as async functions. A second program asks for what is not
// there, a third one calls too often, and a fourth one never ends.
import assert from "node:assert/strict";
import { createSandbox } from "@toolglot/sandbox";

const stock = { tea: 3, coffee: 0, cocoa: 12 };
const countStock = {
  name: "count_stock",
  description: "How many packets of a product there are.",
  inputSchema: { type: "object", properties: { product: { type: "string" } }, required: ["product"] },
  annotations: { readOnlyHint: true },
  execute: async ({ product }) => stock[product] ?? 0,
};

const sandbox = createSandbox({
  language: "javascript",
  tools: [countStock],
  limits: { maxToolCalls: 10, timeoutMs: 2000 },
});
try {
  // Tools take one object. `await` and `return` work at the top of a program.
  const good = await sandbox.run(`
const products = ["tea", "coffee", "cocoa"];
const counts = await Promise.all(products.map((product) => count_stock({ product })));
return products.filter((_, index) => counts[index] < 5);
`);
  console.log(good.status, good.value, `${good.toolCalls.length} calls`);

  // There are no modules, no process and no network. The error says so in words that the model can act on.
  const refused = await sandbox.run('const fs = require("node:fs");\nreturn fs.readFileSync("/etc/passwd", "utf8");');
  console.log(refused.status, refused.error);

  const greedy = await sandbox.run('while (true) await count_stock({ product: "tea" });');
  console.log(greedy.status, greedy.error.type, `${greedy.toolCalls.length} calls were made`);

  // The host is not blocked meanwhile: the program runs in a separate thread.
  let ticks = 0;
  const timer = setInterval(() => ticks++, 50);
  const endless = await sandbox.run("while (true) {}");
  clearInterval(timer);
  console.log(endless.status, endless.error.type, endless.error.message);

  assert.equal(good.status, "ok");
  assert.deepEqual(good.value, ["tea", "coffee"]);
  assert.equal(good.toolCalls.length, 3);
  assert.equal(refused.error.type, "ImportForbidden");
  assert.equal(refused.error.line, 1);
  assert.equal(greedy.error.type, "ToolCallLimit");
  assert.equal(greedy.toolCalls.length, 10);
  assert.equal(endless.error.type, "Timeout");
  assert.ok(ticks > 1);
} finally {
  await sandbox[Symbol.asyncDispose]();
}
