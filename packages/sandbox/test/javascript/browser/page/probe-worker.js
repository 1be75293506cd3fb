// The worker of a run, which also tells what of the browser is left in it once it is ready.
import "../../../../guest/javascript/worker.browser.mjs";

const post = globalThis.postMessage.bind(globalThis);
const attempts = {
  eval: () => Reflect.get(globalThis, "eval")("1"),
  Function: () => (() => {}).constructor("return 1")(),
  "an async Function": () => (async () => {}).constructor("return 1")(),
};

globalThis.addEventListener("message", ({ data }) => {
  if (!data.probe) return;
  const left = data.probe.filter((name) => globalThis[name] !== undefined);
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      attempt();
      left.push(name);
    } catch {
      // As it should be.
    }
  }
  post({ left });
});
