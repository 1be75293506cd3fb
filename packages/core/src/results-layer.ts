/** What goes back to the model, for those who write a protocol: results in words, within a budget. */
export { encodeAsText, inputObject, type TextEncoding } from "./message.ts";
export {
  cutNote,
  cutText,
  type FormatResultsOptions,
  fitBudget,
  type Outcome,
  readOutcome,
} from "./results/outcome.ts";
