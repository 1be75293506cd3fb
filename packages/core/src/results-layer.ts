/** What goes back to the model, for those who write a protocol: results in words, within a budget. */
export { encodeAsText, inputObject, type TextEncoding } from "./message.ts";
export {
  cutEnds,
  cutNote,
  cutText,
  cuttableTexts,
  type FormatResultsOptions,
  fitBudget,
  isFile,
  type Outcome,
  type ResultForm,
  type ResultTexts,
  readOutcome,
  resultText,
  resultTexts,
  shareBudget,
  withTexts,
} from "./results/outcome.ts";
