/** What goes back to the model, for those who write a protocol: results in words, within a budget. */
export { cutNote, cutText, type FormatResultsOptions, fitBudget } from "./results/budget.ts";
export { encodeAsText, inputObject, type TextEncoding } from "./results/encode-as-text.ts";
export { type Outcome, readOutcome } from "./results/outcome.ts";
