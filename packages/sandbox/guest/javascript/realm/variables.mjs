/**
 * Makes the function that tells what programs have left on their global object, in the order of its making. It runs none of their code: it
 * looks at no property of a value, since that may be a proxy. Runs inside the engine: its text is taken, so it must not speak
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

  const isArray = (/** @type {unknown} */ value) => {
    try {
      return Array.isArray(value);
    } catch {
      // A proxy that was revoked.
      return false;
    }
  };

  /** @param {any} value @returns {[string, string]} */
  const describe = (value) => {
    if (value === null) return ["null", "null"];
    if (typeof value === "string") return ["string", JSON.stringify(value.slice(0, maxPreviewLength))];
    if (typeof value === "bigint") {
      const isShort = value > -(2n ** 64n) && value < 2n ** 64n;
      return ["bigint", isShort ? `${value}n` : "<a large bigint>"];
    }
    if (typeof value === "symbol") return ["symbol", kinds.symbolText(value)];
    if (typeof value === "function") return ["function", "<function>"];
    if (typeof value !== "object") return [typeof value, Object.is(value, -0) ? "-0" : `${value}`];
    const ms = kinds.timeOf(value);
    if (ms !== undefined) return ["Date", Number.isNaN(ms) ? "<an invalid Date>" : kinds.isoText(value)];
    for (const [type, size] of [
      ["Map", kinds.mapSize(value)],
      ["Set", kinds.setSize(value)],
    ]) {
      if (size !== undefined) return [type, `<${type} of ${size}>`];
    }
    const type = isArray(value) ? "Array" : (kinds.viewKind(value) ?? (kinds.isRegExp(value) ? "RegExp" : "object"));
    return [type, `<${type}>`];
  };

  return () => {
    const found = [];
    for (const name of Reflect.ownKeys(global)) {
      if (typeof name !== "string" || builtIn.has(name) || found.length === maxVariables) continue;
      const property = /** @type {PropertyDescriptor} */ (Reflect.getOwnPropertyDescriptor(global, name));
      const [type, preview] = "value" in property ? describe(property.value) : ["accessor", "<accessor>"];
      found.push({ name: cut(name), type, preview: cut(preview) });
    }
    return found;
  };
}
