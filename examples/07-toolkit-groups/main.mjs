// A toolkit shows a model what it needs now, and nothing more: groups hide tools until they are wanted, presets hide
// arguments for good, and middleware stands around every call.
import assert from "node:assert/strict";
import { Toolkit } from "@toolglot/toolkit";

const toolkit = new Toolkit();
toolkit.registerToolFunction(({ text }) => text.split(/\s+/).length, {
  name: "count_words",
  description: "Counts words.",
  args: { text: "string" },
});

// With the first group comes the meta tool `reset_equipped_tools`, by which the model opens groups.
toolkit.createToolGroup("tickets", { description: "Tickets of customers.", notes: "Ids are whole numbers." });
const closed = [];
toolkit.registerToolFunction(
  ({ id, token }) => {
    closed.push({ id, token });
    return `closed ${id}`;
  },
  {
    name: "close_ticket",
    description: "Closes a ticket.",
    groupName: "tickets",
    args: { id: "integer", token: "string" },
    // The host sets this argument. The model does not see it, and cannot set it.
    presets: { token: "secret-4711" },
  },
);

const log = [];
toolkit.registerMiddleware(async function* (call, next) {
  for await (const response of next()) {
    if (response.isLast) log.push(`${call.name} ${response.status}`);
    yield response;
  }
});

async function call(name, input) {
  let last;
  for await (const response of toolkit.callToolFunction({ name, input })) last = response;
  console.log(`${name}: ${last.content[0].text}`);
  return last;
}
const names = () => toolkit.getJsonSchemas().map((schema) => schema.function.name);

const namesBefore = names();
console.log(`The model sees ${namesBefore.join(", ")}.`);
const tooEarly = await call("close_ticket", { id: 7 });
await call("reset_equipped_tools", { tickets: true });
console.log(`The model sees ${names().join(", ")}.`);
// The text "7" fits the schema once it is a number. The guessed token is dropped.
const done = await call("close_ticket", { id: "7", token: "guessed" });

// The state is JSON: save it with the conversation, and load it when the conversation goes on.
const state = JSON.parse(JSON.stringify(toolkit.saveState()));
toolkit.updateToolGroups(["tickets"], false);
const namesClosed = names();
toolkit.loadState(state);

assert.deepEqual(namesBefore, ["count_words", "reset_equipped_tools"]);
assert.equal(tooEarly.error.type, "InactiveTool");
assert.equal(done.status, "ok");
assert.deepEqual(closed, [{ id: 7, token: "secret-4711" }]);
assert.deepEqual(namesClosed, namesBefore);
assert.deepEqual(names(), ["count_words", "reset_equipped_tools", "close_ticket"]);
assert.ok(!JSON.stringify(toolkit.getJsonSchemas()).includes("token"));
assert.deepEqual(log, ["close_ticket error", "reset_equipped_tools ok", "close_ticket ok"]);
