/**
 * Makes the functions that tell what a value is by its inner state, which a program can't fake, whatever realm it is from.
 * Runs inside the engine: its text is taken, so it must not speak of anything outside itself.
 */
export function makeKinds() {
  /** @param {object} prototype @param {string | symbol} name */
  const getter = (prototype, name) => /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;

  /**
   * What a function gives for a value that has the inner state it asks for; undefined for any other.
   * @param {Function} ask @returns {(value: unknown) => any}
   */
  const asking = (ask) => (value) => {
    try {
      return Reflect.apply(ask, value, []);
    } catch (error) {
      // An interrupt or a lack of memory is no answer.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };

  const isGlobal = asking(getter(RegExp.prototype, "global"));
  const boxes = [Number, String, Boolean, BigInt, Symbol].map(({ prototype, name }) => ({
    name,
    held: asking(prototype.valueOf),
  }));

  const maxShown = 120;
  const maxTold = 3;

  const isArray = (/** @type {unknown} */ value) => {
    try {
      return Array.isArray(value);
    } catch {
      // A proxy that was revoked.
      return false;
    }
  };

  /** The type of a value and a short text of it. Runs nothing of a program: it looks at no property, since the value may be a proxy. @param {any} value @returns {[string, string]} */
  const shown = (value) => {
    if (value === null) return ["null", "null"];
    if (typeof value === "string") return ["string", JSON.stringify(value.slice(0, maxShown))];
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

  /** What an object has under a name, where that is data of its own. @param {any} object @param {string} name */
  const own = (object, name) => Reflect.getOwnPropertyDescriptor(object, name)?.value;

  /** Type, size and beginning of a value that was refused, for the words of the error. Runs no getter. @param {any} value @returns {string} */
  const told = (value) => {
    const [type, text] = shown(value);
    if (type === "string") return `a string of ${value.length} characters, ${JSON.stringify(value.slice(0, 40))}…`;
    try {
      if (type === "function")
        return `the function ${JSON.stringify(`${own(value, "name") ?? ""}`.slice(0, maxShown))}`;
      if (type === "Array") {
        const { length } = value;
        const items = Array.from({ length: Math.min(length, maxTold) }, (_, index) => shown(own(value, `${index}`))[1]);
        return `an Array of ${length}: [${items.join(", ")}${length > maxTold ? ", …" : ""}]`.slice(0, 3 * maxShown);
      }
      if (type !== "object" || text !== "<object>") return text;
      const name = kinds.className(value) ?? "object";
      if (kinds.isError(value)) return `${name} ${shown(own(value, "message"))[1]}`;
      const keys = Object.keys(value);
      const named = keys.slice(0, maxTold).map((key) => `${key.slice(0, 40)}: ${shown(own(value, key))[1]}`);
      return `${name} of ${keys.length}: {${named.join(", ")}${keys.length > maxTold ? ", …" : ""}}`.slice(
        0,
        3 * maxShown,
      );
    } catch {
      // A proxy's own code.
      return text;
    }
  };

  const kinds = {
    shown,
    told,
    /** Milliseconds of a date. */
    timeOf: asking(Date.prototype.getTime),
    mapSize: asking(getter(Map.prototype, "size")),
    setSize: asking(getter(Set.prototype, "size")),
    bufferBytes: asking(getter(ArrayBuffer.prototype, "byteLength")),
    /** The class of a typed array. */
    viewKind: asking(getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)),
    /** Node 20 can't look inside. */
    isError: /** @type {any} */ (Error).isError ?? ((/** @type {unknown} */ value) => value instanceof Error),
    isRegExp: (/** @type {unknown} */ value) => isGlobal(value) !== undefined,
    /** What `Object(1)` and its like hold. @param {unknown} value */
    unboxed(value) {
      for (const { name, held } of boxes) {
        const inside = held(value);
        if (inside !== undefined) return { name, inside };
      }
      return undefined;
    },
    /** Of a valid date. @returns {string} */
    isoText: (/** @type {unknown} */ date) => Reflect.apply(Date.prototype.toISOString, date, []),
    symbolText: (/** @type {unknown} */ symbol) => Reflect.apply(Symbol.prototype.toString, symbol, []),
    regExpText: (/** @type {unknown} */ expression) => `${Reflect.apply(RegExp.prototype.toString, expression, [])}`,
    /** @param {unknown} callable */
    isClass: (callable) => Reflect.apply(Function.prototype.toString, callable, []).startsWith("class"),
    /** The name of the class that made an object; no getter runs for it. @param {any} value @returns {string | undefined} */
    className(value) {
      for (let object = value; object !== null; object = Reflect.getPrototypeOf(object)) {
        const made = Reflect.getOwnPropertyDescriptor(object, "constructor");
        if (typeof made?.value === "function" && typeof made.value.name === "string" && made.value.name !== "") {
          return made.value.name.slice(0, 100);
        }
      }
      return undefined;
    },
  };
  return kinds;
}
