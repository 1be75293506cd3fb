const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const pythonNumber = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const prefixedNumber = /^([+-]?)(0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+))$/;
const unnumbered = /^[+-]?(?:NaN|Infinity)$/;
/** Digits that every double keeps. */
const isShort = /^[\d.+-]{1,15}$/;

/**
 * Reads a number as JSON writes it, or as Python does. Where a double loses digits, and for what is no number but named so, the text;
 * undefined for all else.
 */
export function readNumber(text: string, python: boolean): number | string | undefined {
  if ((python ? pythonNumber : jsonNumber).test(text)) return decimal(text);
  if (unnumbered.test(text)) return text;
  if (!python) return undefined;
  const plain = text.replace(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, "");
  if (pythonNumber.test(plain)) return decimal(plain);
  const [, sign, digits] = prefixedNumber.exec(plain) ?? [];
  const value = Number(digits);
  return digits === undefined || Number.isSafeInteger(value) ? digits && (sign === "-" ? 0 - value : value) : text;
}

function decimal(text: string): number | string {
  // Zero has no sign in JSON.
  const value = Number(text) + 0;
  return isShort.test(text) || significant(text) === significant(String(value)) ? value : text;
}

/** Returns the digits that count, which are the same for all ways to write a number; none for zero and infinity. */
function significant(text: string): string {
  const digits = text.replace(/e.*/i, "").replace(/\D/g, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end).replace(/^0+/, "");
}
