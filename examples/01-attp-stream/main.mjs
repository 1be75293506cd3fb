// A model writes its answer bit by bit. The parser reads along, gives each piece as soon as it is certain, and reports
// every place where the text is not what the protocol asks for.
import assert from "node:assert/strict";
import { parse, parseStream } from "@toolglot/attp";
import { isRunnable } from "@toolglot/core";
import { formatDiagnostic } from "@toolglot/core/diagnostics";

// Two common slips: the status has no quotes, and the docstring's quotes would end the code early.
const answer = `thought = "One search is enough."

[tool_call]
status = success
target = "find the docs"
code = '''
def first(rows):
    '''The first row, or nothing.'''
    return rows[0] if rows else None

__result__ = first(search_web("toml"))
'''
`;

// This stands for the stream of your provider. Where the chunks begin and end does not matter.
async function* chunks(text, size) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const codePieces = [];
const diagnostics = [];
let document;
for await (const event of parseStream(chunks(answer, 20))) {
  if (event.type === "code-delta") codePieces.push(event.text);
  if (event.type === "diagnostic") diagnostics.push(event.diagnostic);
  if (event.type === "document-end") document = event.block;
}

console.log(`The code came in ${codePieces.length} pieces:\n${codePieces.join("").trimEnd()}`);
for (const diagnostic of diagnostics) console.log(`\n${formatDiagnostic(answer, diagnostic)}`);

// A program may run when the document is complete or recovered. When a repair may have changed a value, ask somebody
// before you run a program that does harm.
const doubtful = diagnostics.some(({ affects }) => affects === "value");
console.log(`\n${document.status}, may run: ${isRunnable(document)}, ask first: ${doubtful}`);

// The connection breaks in the middle of the code. Such a document never runs.
const [cutOff] = parse(answer.slice(0, answer.indexOf("__result__"))).blocks;
console.log(`cut off: ${cutOff.status}, may run: ${isRunnable(cutOff)}`);

assert.equal(document.status, "recovered");
assert.equal(document.thought, "One search is enough.");
assert.equal(codePieces.join(""), document.toolCall.code);
assert.match(document.toolCall.code, /'''The first row, or nothing\.'''/);
assert.deepEqual(diagnostics.map(({ code }) => code).sort(), ["attp/inner-quotes", "attp/loose-syntax"]);
assert.ok(isRunnable(document) && doubtful);
assert.equal(cutOff.status, "truncated");
assert.ok(!isRunnable(cutOff));
