import pc from "picocolors";

/** Colours by meaning. Off when the output is no terminal or `NO_COLOR` is set. */
export interface Style {
  dim(text: string): string;
  strong(text: string): string;
  emphasis(text: string): string;
  accent(text: string): string;
  code(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

/** The style of a stream: colours only in a terminal, and never against `NO_COLOR`. */
export function styleFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Style {
  const wanted = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0";
  const on = !env.NO_COLOR && env.TERM !== "dumb" && (wanted || stream.isTTY === true);
  const { dim, bold, italic, cyan, green, yellow, red, blue } = pc.createColors(on);
  return { dim, strong: bold, emphasis: italic, accent: cyan, code: blue, good: green, warn: yellow, bad: red };
}
