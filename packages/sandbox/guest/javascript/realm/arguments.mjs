/**
 * Makes the functions that turn the one object of a tool's call into the arguments that the tool knows, as JSON text. Runs
 * inside the engine: its text is taken, so it must not speak of anything outside itself.
 *
 * @param {any} cleaner Of clean.mjs.
 * @param {(name: string, names: string[]) => string | undefined} nearest
 */
export function makeArguments(cleaner, nearest) {
  const maxArgumentLength = 4 * 1024 * 1024;

  const signature = (/** @type {any} */ tool) => {
    const params = tool.params.map((/** @type {any} */ { identifier, required, default: fallback }) => {
      if (required) return identifier;
      return fallback === undefined ? `${identifier}?` : `${identifier} = ${JSON.stringify(fallback)}`;
    });
    if (tool.open) params.push("…");
    return params.length === 0 ? `${tool.called}()` : `${tool.called}({ ${params.join(", ")} })`;
  };

  /** @param {any} tool @param {string} message @param {"T" | "R"} kind `TypeError` or `RangeError`. */
  const refuse = (tool, message, kind = "T") => ({
    kind,
    message: `${tool.called}() ${message.slice(0, 1000)}`,
    hint: `call it as ${signature(tool)}`,
    text: undefined,
  });

  /** What is asked of a tool at each call. @param {any} tool */
  const prepare = (tool) => {
    const { params } = tool;
    tool.identifiers = params.map((/** @type {any} */ { identifier }) => identifier);
    tool.required = params.filter((/** @type {any} */ { required }) => required);
    /** Parameter names by what a program may write. */
    tool.known = new Map(params.map((/** @type {any} */ { name }) => [name, name]));
    for (const { identifier, name } of params) tool.known.set(identifier, name);
  };

  /** @param {string} key @param {unknown} value @param {number} room @param {object[]} notes */
  const written = (key, value, room, notes) => {
    try {
      return cleaner.clean(value, room, "arguments", notes, [undefined, key]);
    } catch (error) {
      if (error instanceof cleaner.TooLarge) error.message = `${key} has ${error.message}`;
      throw error;
    }
  };

  /** The arguments of a call by parameter name, as JSON text; a refusal when they are wrong. */
  const collect = (/** @type {any} */ tool, /** @type {number} */ values, /** @type {any} */ given) => {
    if (values > 1) return refuse(tool, `takes one object, not ${values} values`);
    if (given === undefined) given = {};
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      const kind = given === null ? "null" : Array.isArray(given) ? "an array" : `a ${typeof given}`;
      return refuse(tool, `takes one object, not ${kind}`);
    }
    let text = "";
    /** @type {object[]} */
    const notes = [];
    let count = 0;
    const names = new Set();
    for (const key of Object.keys(given)) {
      const param = tool.known.get(key);
      if (param === undefined && (!tool.open || cleaner.droppedKeys.includes(key))) {
        const near = nearest(key, tool.identifiers);
        return refuse(tool, `has no parameter ${key}${near ? `; did you mean ${near}?` : ""}`);
      }
      const name = param ?? key;
      if (names.has(name)) return refuse(tool, `got ${key} twice`);
      const value = given[key];
      if (value === undefined) continue;
      names.add(name);
      if (count++ > 0) text += ",";
      text += `${JSON.stringify(name)}:${written(key, value, maxArgumentLength - text.length, notes)}`;
    }
    for (const { name } of tool.required) {
      if (names.has(name)) continue;
      const missing = tool.required.filter((/** @type {any} */ each) => !names.has(each.name));
      const listed = missing.map((/** @type {any} */ { identifier }) => identifier).join(", ");
      return refuse(tool, `is missing ${listed}`);
    }
    return { text: `{${text}}`, notes };
  };

  /** As `collect`; values that are no data, or too much of it, are refusals too. */
  const read = (/** @type {any} */ tool, /** @type {number} */ values, /** @type {any} */ given) => {
    try {
      return collect(tool, values, given);
    } catch (error) {
      if (error instanceof cleaner.Unfit) return refuse(tool, `cannot take ${error.path}: it is ${error.message}`);
      if (!(error instanceof cleaner.TooLarge)) throw error;
      return refuse(tool, `cannot take arguments of this size: ${error.message}`, "R");
    }
  };

  return { prepare, read, refuse };
}
