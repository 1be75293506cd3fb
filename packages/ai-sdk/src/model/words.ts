/** Texts about providers' failures. */
export const words = {
  unauthorised: (status: number, url: string) => `The provider refused the key (${status}, ${url})`,
  rateLimited: (url: string) => `The provider is busy or the quota is used up (429, ${url})`,
  unreachable: (url: string) => `No answer from ${url}`,
  failed: (status: number, url: string) => `The provider answered ${status} to ${url}`,
  unreadable: (url: string) => `The answer of ${url} could not be read`,
  notFound: (model: string, url: string) => `The provider at ${url} does not know the model ${model}`,
  overflow: (url: string) => `The request is longer than the model's context (${url})`,
  noVersion: (base: string) => `The base URL has no /v1: did you mean ${base}/v1 ?`,
  twice: "The base URL ends before /chat/completions.",
  page: "This is a web page, and no API: look at the base URL.",
  brokeOff: "The model's answer broke off",
  midway: (failed: string, shown: number) =>
    `${failed.replace(/\.?$/, ".")} The answer ended after ${shown} characters, and was not asked for again, because they were shown.`,
  noAnswer: (model: string, seconds: number) => `No answer from ${model} within ${seconds} s.`,
  silent: (model: string, seconds: number) => `${model} began to answer, and then was silent for ${seconds} s.`,
};
