/** A number from a text; `exact` when a double keeps all its digits. */
export interface ReadNumber {
  value: number;
  exact: boolean;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const pythonNumber = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const prefixedNumber = /^([+-]?)(0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+))$/;
const parts = /^[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Reads a number as JSON writes it, or as Python does; undefined for what is none. */
export function readNumber(text: string, python: boolean): ReadNumber | undefined {
  if (!python) return jsonNumber.test(text) ? decimal(text) : undefined;
  const plain = text.replace(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, "");
  const [, sign, digits] = prefixedNumber.exec(plain) ?? [];
  if (digits === undefined) return pythonNumber.test(plain) ? decimal(plain) : undefined;
  const value = Number(digits);
  return { value: sign === "-" ? 0 - value : value, exact: Number.isSafeInteger(value) };
}

function decimal(text: string): ReadNumber {
  // Zero has no sign in JSON.
  const value = Number(text) + 0;
  return { value, exact: significant(text) === significant(String(value)) };
}

/** Returns the digits that count and their place: the same for all ways to write a number. Undefined for infinity. */
function significant(text: string): string | undefined {
  const [, whole, fraction = "", exponent = "0"] = parts.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let first = 0;
  let last = digits.length;
  while (digits[first] === "0") first++;
  while (last > first && digits[last - 1] === "0") last--;
  return first === last ? "0" : `${digits.slice(first, last)}e${Number(exponent) + whole.length - first}`;
}
