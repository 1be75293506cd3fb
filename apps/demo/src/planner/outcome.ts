/** How an earlier call or program of this request ended, as the planner reads it from the conversation. */
export interface Outcome {
  status: "ok" | "error" | "denied";
  /** For `ok`. */
  value?: unknown;
  errorType?: string;
  message?: string;
  /** For `denied`: what has to be approved first. */
  waitsFor?: string;
  /** The result's text as it stands, where the protocol has it. */
  text?: string;
  /** Exit status of a command. */
  exit?: number;
  /** A command that goes on. */
  running?: true;
}

/** A value as JSON, or the text itself. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
