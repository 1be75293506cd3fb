// Run where @toolglot/sandbox is installed and its engines aren't: the message must say what to install.
import assert from "node:assert/strict";
import { createSandbox } from "@toolglot/sandbox";

for (const [language, engine] of /** @type {const} */ ([
  ["python", "pyodide"],
  ["javascript", "quickjs-emscripten"],
])) {
  const outcome = await (async () => {
    const sandbox = createSandbox({ language });
    const run = await sandbox.run("__result__ = 1");
    await sandbox[Symbol.asyncDispose]();
    return run.status === "error" ? run.error.message : `it ran: ${JSON.stringify(run)}`;
  })().catch((error) => String(error.message));
  assert.match(outcome, new RegExp(`npm install ${engine}`));
}
