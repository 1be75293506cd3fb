import { createSandbox, sandboxExecutor, ToolError } from "@toolglot/sandbox/browser";

/** The names out of `names` that a worker which is ready still has. */
async function probe(names) {
  let started;
  const worker = () => {
    started = new Worker(new URL("./probe-worker.js", import.meta.url), { type: "module" });
    return started;
  };
  const sandbox = createSandbox({ worker });
  await sandbox.warm();
  const left = await new Promise((resolve) => {
    started.addEventListener("message", ({ data }) => data.left && resolve(data.left));
    started.postMessage({ probe: names });
  });
  await sandbox[Symbol.asyncDispose]();
  return left;
}

Object.assign(globalThis, { createSandbox, sandboxExecutor, ToolError, probe });
