import { provideCodecs } from "./codecs.ts";

let loading: Promise<void> | undefined;

/** Loads the codecs, which takes some milliseconds. */
export function loadCodecs(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const [{ default: iconv }, { default: chardet }] = await Promise.all([import("iconv-lite"), import("chardet")]);
  provideCodecs(() => ({ iconv, chardet }));
}
