/**
 * Makes the function that tells what programs have left on their global object, in the order of its making. It runs none of their
 * code. Runs inside the engine: its text is taken, so it must not speak
 * of anything outside itself.
 * @param {object} global Before any program.
 * @param {any} kinds Of kinds.mjs.
 */
export function makeVariables(global, kinds) {
  const maxVariables = 200;
  const maxPreviewLength = 120;
  const builtIn = new Set(Reflect.ownKeys(global));

  const cut = (/** @type {string} */ text) =>
    text.length > maxPreviewLength ? `${text.slice(0, maxPreviewLength - 1)}…` : text;

  return () => {
    const found = [];
    for (const name of Reflect.ownKeys(global)) {
      if (typeof name !== "string" || builtIn.has(name) || found.length === maxVariables) continue;
      const property = /** @type {PropertyDescriptor} */ (Reflect.getOwnPropertyDescriptor(global, name));
      const [type, preview] = "value" in property ? kinds.shown(property.value) : ["accessor", "<accessor>"];
      found.push({ name: cut(name), type, preview: cut(preview) });
    }
    return found;
  };
}
