// A model writes a plan of two steps in TAM. The parser reads it, the toolkit runs the steps, and the results go back to
// the model in the same format.
import assert from "node:assert/strict";
import { executorContext } from "@toolglot/core/executing";
import { bindPlan, formatResults, parse } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

const notes = new Map();
const toolkit = new Toolkit();
toolkit.registerToolFunction(
  defineTool({
    name: "write_note",
    description: "Writes a note.",
    args: { title: "string", text: "string", "tags?": "string[]" },
    execute: ({ title, text, tags = [] }) => {
      notes.set(title, { text, tags });
      return `${text.length} characters`;
    },
  }),
);
toolkit.registerToolFunction(
  defineTool({
    name: "count_words",
    description: "Counts the words of a note.",
    args: { title: "string" },
    annotations: { readOnlyHint: true },
    execute: ({ title }) => ({ words: notes.get(title).text.split(/\s+/).length }),
  }),
);

// Values need no escaping. The first step has a list, which the schema of the tool turns from text into an array.
const answer = `I write the note, then I count its words.

<|[REQUEST_TOOL]|>
command_1:»»»write_note«««
title_1:»»»owls«««
text_1:»»»They "fly" <silently> & hunt.«««
tags_1:»»»["birds", "night"]«««
command_2:»»»count_words«««
title_2:»»»owls«««
<|[END_TOOL]|>
`;

const tools = toolkit.definitions();
const { blocks, diagnostics } = parse(answer, { tools });
const plan = bindPlan(blocks[0], tools);

// The agent loop makes the context of an action for you. Without it, core has one.
const events = [];
const context = executorContext({ emit: (event) => events.push(event) });
const results = await toolkitExecutor(toolkit).execute({ kind: "plan", plan, span: blocks[0].span }, context);

const text = formatResults(results);
console.log(`The steps made ${events.length} events. The model reads next:\n${text}`);

assert.deepEqual(diagnostics, []);
assert.deepEqual(notes.get("owls"), { text: 'They "fly" <silently> & hunt.', tags: ["birds", "night"] });
assert.deepEqual(
  results.map(({ status }) => status),
  ["ok", "ok"],
);
assert.deepEqual(results[1].data, { words: 5 });
assert.match(text, /result_2:»»»\{"words":5\}«««/);
