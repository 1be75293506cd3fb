// The engine's code with one export more.

export const tableName = "table";
const exportSection = 7;

/** @param {number} number As WebAssembly writes it. */
function leb(number) {
  const bytes = [];
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/** The engine's code with its table of functions among its exports. @param {Uint8Array} code @returns {Uint8Array<ArrayBuffer>} */
export function withTable(code) {
  let at = 8;
  const number = () => {
    let read = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = code[at++] ?? 0;
      read |= (byte & 127) << shift;
      if (byte < 128) return read >>> 0;
    }
  };
  for (let start = at; start < code.length; start = at) {
    const section = code[at++];
    const end = number() + at;
    if (section === exportSection) {
      const count = leb(number() + 1);
      const added = [tableName.length, ...new TextEncoder().encode(tableName), 1, 0];
      const size = count.length + end - at + added.length;
      const head = [section, ...leb(size), ...count];
      const whole = new Uint8Array(code.length + head.length + added.length - (at - start));
      whole.set(code.subarray(0, start));
      whole.set(head, start);
      whole.set(code.subarray(at, end), start + head.length);
      whole.set(added, start + head.length + end - at);
      whole.set(code.subarray(end), start + head.length + end - at + added.length);
      return whole;
    }
    at = end;
  }
  throw new Error("the engine's code exports nothing");
}
