// JavaScript's own objects in the child: no program may leave a change in them for the next.

/** The language's own globals, and those of Node that the engine hands to a program. */
const roots = (
  "Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError " +
  "ReferenceError SyntaxError TypeError URIError JSON Math Intl Reflect Proxy Map Set WeakMap WeakSet WeakRef Atomics Iterator " +
  "ArrayBuffer SharedArrayBuffer DataView Uint8Array Uint8ClampedArray Int8Array Uint16Array Int16Array Uint32Array Int32Array " +
  "Float16Array Float32Array Float64Array BigInt64Array BigUint64Array WebAssembly TextEncoder TextDecoder Buffer " +
  "parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape"
).split(" ");

/** Objects that no global names: prototypes of iterators, of generators and of functions. */
function unnamed() {
  const functions = [() => {}, async () => {}, function* () {}, async function* () {}];
  const iterators = [[].values(), new Map().values(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/./g)];
  // What iterators themselves can do is not in every version of Node.
  const helper = /** @type {any} */ ([].values()).map?.((/** @type {unknown} */ one) => one);
  return [...functions, ...iterators, ...(helper === undefined ? [] : [helper])].map(Object.getPrototypeOf);
}

/**
 * Freezes all that is reached from the language's own objects. After the engine was loaded, which can't be in a realm that
 * is frozen. From then on it assigns to `Error.stackTraceLimit` alone, at each error. Returns what `Date.now` reads, which
 * stands still in a durable run.
 */
export function freezeIntrinsics() {
  const time = { now: Date.now };
  Date.now = () => time.now();
  // V8 takes no stack at all where the limit is no plain value: traces show where the host keeps its files.
  Object.defineProperty(Error, "stackTraceLimit", {
    get: () => 0,
    set: () => {},
    enumerable: false,
    configurable: false,
  });
  for (const holder of [Object.prototype, Error.prototype]) letInherit(holder);
  freezeAll([...roots.map((name) => /** @type {any} */ (globalThis)[name]), ...unnamed()]);
  return time;
}

/**
 * What inherits a property that is fixed can't be assigned one of its own of that name, such as `constructor` or `name`; where
 * a setter makes it one, it can.
 * @param {object} holder
 */
function letInherit(holder) {
  const { defineProperty, ownKeys, getOwnPropertyDescriptor } = Reflect;
  for (const key of ownKeys(holder)) {
    const { value, get, enumerable } = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(holder, key));
    if (get !== undefined) continue;
    const set = /** @this {object} @param {unknown} own */ function (own) {
      if (this !== holder) {
        defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
      }
    };
    defineProperty(holder, key, { get: () => value, set, enumerable: enumerable === true, configurable: false });
  }
}

/** @param {readonly unknown[]} starts Freezes these and everything that is reached through their properties. */
export function freezeAll(starts) {
  const todo = [...starts];
  const seen = new Set();
  while (todo.length > 0) {
    const one = todo.pop();
    if ((typeof one !== "object" && typeof one !== "function") || one === null || seen.has(one)) continue;
    seen.add(one);
    todo.push(Object.getPrototypeOf(one));
    for (const key of Reflect.ownKeys(one)) {
      const { value, get, set } = /** @type {PropertyDescriptor} */ (Reflect.getOwnPropertyDescriptor(one, key));
      todo.push(value, get, set);
    }
    // The elements of a typed array can't be fixed.
    if (!ArrayBuffer.isView(one)) Object.freeze(one);
  }
}
