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

  return {
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
}
