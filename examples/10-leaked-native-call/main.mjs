// Models are trained on a call format of their own, and fall back into it. The parser does not run such a call: it names
// the format and the place, and you send the model a hint about what to write instead.
import assert from "node:assert/strict";
import { formatDiagnostic } from "@toolglot/core/diagnostics";
import { explain, parse } from "@toolglot/toolsxml";

const tools = [
  {
    name: "weather",
    description: "Weather of a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

const leaks = {
  Hermes: 'I look it up.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>',
  DeepSeek: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n",
  // Some servers take the special tokens away. A bare call counts when you have declared a tool of this name.
  Python: 'I look it up.\nweather(city="Rome")',
};
const findings = Object.entries(leaks).map(([name, text]) => {
  const { blocks, diagnostics } = parse(text, { tools });
  for (const diagnostic of diagnostics) console.log(`${name}: ${formatDiagnostic(text, diagnostic)}\n`);
  return { blocks: blocks.length, codes: diagnostics.map(({ code }) => code) };
});

// What the model reads next. It has the form of a result, as if the format had been run and failed. In an agent, the loop
// sends this for you as a repair turn.
const hint = explain(parse(leaks.Hermes, { tools }), { source: leaks.Hermes });
console.log(hint);

// The model corrects itself, and the next answer reads clean.
const better = parse('<tools><weather city="Rome"/></tools>', { tools });
console.log(better.blocks[0].calls[0]);

// An explanation of a format is not a call: in inline code the parser sees a mention.
const mention = parse('Hermes models write `<tool_call>{"name": "weather"}`.', { tools });

for (const finding of findings) assert.deepEqual(finding, { blocks: 0, codes: ["core/foreign-format"] });
assert.match(hint, /type="FormatError"/);
assert.match(hint, /line 2, column 1/);
assert.match(hint, /Write calls as one block: <tools>/);
assert.deepEqual(better.diagnostics, []);
assert.equal(better.blocks[0].status, "complete");
assert.deepEqual({ ...better.blocks[0].calls[0].input }, { city: "Rome" });
assert.deepEqual(mention.diagnostics, []);
assert.equal(explain(mention), undefined);
