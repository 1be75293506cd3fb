import { checkKeys } from "@toolglot/internal";
import { maskData } from "./mask/mask-data.ts";
import { type Masker, MaskStream } from "./mask/masker.ts";
import { isMaskable, SoughtValues } from "./mask/sought-values.ts";

/** Hides known values in texts. A value has any name, and is never forgotten. */
export interface ValueMask {
  /** Hides a value from now on. False for a value of fewer than six characters, which is never looked for. */
  add(name: string, value: string): boolean;
  /** Returns a whole text with every known value replaced, in every form in which programs print values. */
  mask(text: string): string;
  /** Returns a copy of plain data with all its strings and keys masked. */
  maskData<Value>(value: Value): Value;
  /** Creates a masker for a text that comes in pieces. */
  masker(): Masker;
}

/**
 * Creates a mask for a program whose configuration holds secrets, for its logs and errors. `written` is what stands in the
 * place of a value; default `‹NAME›`. Of two names with one value the first in order of the alphabet is written.
 *
 * @example
 * ```ts
 * const secrets = createValueMask({ written: (name) => `[secret ${name}]` });
 * secrets.add("API_KEY", "sk-0123456789");
 * secrets.mask("the key sk-0123456789 was refused"); // "the key [secret API_KEY] was refused"
 * ```
 */
export function createValueMask(options: { written?: (name: string) => string } = {}): ValueMask {
  checkKeys("createValueMask", options, "written:function");
  const values = new SoughtValues();
  const masker = (): MaskStream => new MaskStream(values, ({ names }) => [...names].sort()[0] ?? "", options);
  const ofData = <Value>(value: Value): Value => {
    if (values.isEmpty) return value;
    const one = masker();
    return maskData(value, (text) => (isMaskable(text) ? one.write(text) + one.end() : text));
  };
  return {
    add(name, value) {
      if (typeof name !== "string" || typeof value !== "string") throw new TypeError("add takes a name and a value");
      values.add(name, value);
      return isMaskable(value);
    },
    mask: (text) => ofData(text),
    maskData: ofData,
    masker,
  };
}
