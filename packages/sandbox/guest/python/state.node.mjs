// What the engine keeps in JavaScript of its files, streams and current folder: plain objects, put back as they were.

const { ownKeys, getOwnPropertyDescriptor, deleteProperty } = Reflect;
const { isView } = ArrayBuffer;
const Bytes = Uint8Array;
const copy = Function.prototype.call.bind(Uint8Array.prototype.set);

/**
 * Records all objects that are reached from this one through properties, and the bytes of all files.
 * @param {object} start Frozen objects, and functions, stay as they are by themselves.
 * @param {ReadonlySet<unknown>} [constant] Contents that nothing changes.
 */
export function recordState(start, constant) {
  /** @type {{ object: any, keys: PropertyKey[], values: Map<PropertyKey, unknown> }[]} */
  const objects = [];
  /** @type {{ bytes: Uint8Array, content: Uint8Array }[]} */
  const contents = [];
  const seen = new Set();
  const todo = [start];
  while (todo.length > 0) {
    const object = /** @type {object} */ (todo.pop());
    if (seen.has(object)) continue;
    seen.add(object);
    if (isView(object)) {
      if (constant?.has(object)) continue;
      const bytes = /** @type {Uint8Array} */ (object);
      // Not `slice`: that of a buffer of Node's copies nothing.
      contents.push({ bytes, content: new Bytes(bytes) });
      continue;
    }
    const keys = ownKeys(object);
    const values = new Map();
    for (const key of keys) {
      const property = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(object, key));
      if (!property.writable) continue;
      values.set(key, property.value);
      if (typeof property.value === "object" && property.value !== null) todo.push(property.value);
    }
    objects.push({ object, keys, values });
  }

  function setBack() {
    for (const { object, keys, values } of objects) {
      const there = ownKeys(object);
      // Their order too: it is that in which a folder is read.
      if (there.length !== keys.length || there.some((key, index) => key !== keys[index])) {
        for (const key of there) if (values.has(key) || !keys.includes(key)) deleteProperty(object, key);
      }
      for (const [key, value] of values) object[key] = value;
    }
    for (const { bytes, content } of contents) copy(bytes, content);
  }

  return { setBack, size: objects.length };
}
