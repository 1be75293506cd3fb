import type { Model } from "@toolglot/core";
import type { Words } from "../words/index.ts";
import type { Terminal } from "./terminal.ts";

/** A model that answers sooner needs no word. */
const quietMs = 2000;

/** The model, with a line that moves until it begins to answer, where a person looks on. */
export function whileWaiting(model: Model, { interactive, screen: { write, style } }: Terminal, words: Words): Model {
  if (!interactive) return model;
  return async function* waited(request, signal) {
    const asked = performance.now();
    let shown = false;
    const timer = setInterval(() => {
      const ms = performance.now() - asked;
      if (ms < quietMs) return;
      shown = true;
      write(`\r\x1b[2K  ${style.dim(`… ${words.waiting(Math.round(ms / 1000))}`)}`);
    }, 500);
    const clear = (): void => {
      clearInterval(timer);
      if (shown) write("\r\x1b[2K");
      shown = false;
    };
    try {
      for await (const part of model(request, signal)) {
        clear();
        yield part;
      }
    } finally {
      clear();
    }
  };
}
