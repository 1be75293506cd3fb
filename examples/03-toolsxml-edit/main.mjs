// A model edits and reads a file in one ToolsXML block. The local tools do both in the folder that you name only.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executorContext } from "@toolglot/core/executing";
import { localExecutor, openLocalTools } from "@toolglot/local-tools";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";

// The bodies are raw: a file with < and & in it needs no escaping.
const answer = `I change the port and look at the result.

<tools>
  <edit>
    <file src="server.js">
      <find>if (port < 1024 && strict) listen(3000);</find>
      <replace>if (port < 1024 && strict) listen(8080);</replace>
    </file>
  </edit>
  <read>
    <file src="server.js"/>
    <file src="../secrets.txt"/>
  </read>
</tools>
`;

const folder = await mkdtemp(join(tmpdir(), "example-"));
const file = join(folder, "server.js");
const before = "const port = 80;\nif (port < 1024 && strict) listen(3000);\n";
await writeFile(file, before);

// The journal of changes and the backups lie beside the project, never in it.
const stateDir = `${folder}-state`;
try {
  const local = await openLocalTools({ roots: folder, stateDir });
  const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
  const parser = protocol.createParser({ tools: local.tools() });
  parser.feed(answer);
  const [block] = parser.end({ finish: "stop" }).blocks;

  const results = [];
  for (const action of protocol.actions(block)) {
    // Nobody is here to decide about risky files: this context denies what needs an approval.
    results.push(...(await localExecutor(local).execute(action, executorContext())));
  }
  console.log(protocol.formatResults(results));
  const after = await readFile(file, "utf8");

  // Every change is in the journal, so you can take it back.
  const undone = await local.undo();
  console.log(`put back: ${undone.files[0].path}`);
  await local.close();

  assert.equal(block.status, "complete");
  assert.equal(after, before.replace("3000", "8080"));
  assert.deepEqual(
    results.map(({ name, status }) => `${name} ${status}`),
    ["edit ok", "read error"],
  );
  assert.match(protocol.formatResults(results), /outside the folders/);
  assert.equal(await readFile(file, "utf8"), before);
} finally {
  for (const path of [folder, stateDir]) await rm(path, { recursive: true, force: true });
}
