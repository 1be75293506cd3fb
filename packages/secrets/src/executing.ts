/** What carries calls out with secrets: placeholders become values, a person is asked for one, and what comes back is masked. */

export { type ValueErrorType, valueError } from "./errors.ts";
export { maskData } from "./mask/mask-data.ts";
export { type Mask, type Masks, maskedCall } from "./masked-call.ts";
export { maskedError } from "./masked-error.ts";
export type { FilledScript } from "./placeholders/fill-script.ts";
export {
  type BlockCheck,
  checkBlock,
  PlaceholderFiller,
  refuseKeys,
  type ValueSource,
  type Values,
  type Waiting,
  withoutValues,
} from "./placeholders/placeholder-filler.ts";
export { namesIn, unescapePlaceholders } from "./placeholders/placeholders.ts";
export {
  type Asked,
  unknownValue,
  valueLocked,
  valueNotAllowed,
  withPlaceholderHint,
} from "./placeholders/refusals.ts";
export { scriptWithValues } from "./placeholders/script-with-values.ts";
export { valueLines } from "./placeholders/value-lines.ts";
export { type AskedValue, type AskingContext, askedData, type GetValueInput, ValueAsker } from "./value-asker.ts";
export { type SecretValues, valuesOf } from "./values.ts";
