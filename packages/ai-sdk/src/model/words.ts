import type { Locale } from "@toolglot/core";

const en = {
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
  noAnswer: (model: string, seconds: number) => `No answer from ${model} within ${seconds} s.`,
  silent: (model: string, seconds: number) => `${model} began to answer, and then was silent for ${seconds} s.`,
};

const zh: typeof en = {
  unauthorised: (status, url) => `提供方拒绝了密钥（${status}，${url}）`,
  rateLimited: (url) => `提供方繁忙或额度已用完（429，${url}）`,
  unreachable: (url) => `${url} 没有应答`,
  failed: (status, url) => `提供方对 ${url} 的应答是 ${status}`,
  unreadable: (url) => `无法读取 ${url} 的应答`,
  notFound: (model, url) => `${url} 的提供方没有模型 ${model}`,
  overflow: (url) => `请求超出了模型的上下文长度（${url}）`,
  noVersion: (base) => `基础地址缺少 /v1：是不是应该写 ${base}/v1 ？`,
  twice: "基础地址应在 /chat/completions 之前结束。",
  page: "这是网页，不是 API：请检查基础地址。",
  brokeOff: "模型的回答中断了",
  noAnswer: (model, seconds) => `${model} 在 ${seconds} 秒内没有应答。`,
  silent: (model, seconds) => `${model} 开始回答后，有 ${seconds} 秒没有任何内容。`,
};

/** What is said of providers' failures. */
export const modelWords: Readonly<Record<Locale, typeof en>> = { en, zh };
