/** A command of a session and what became of it. */
export interface Active {
  script: string;
  /** The session's own (a change of directory): prints nothing that counts. */
  internal: boolean;
  notes: string[];
  end?: { exit: number; shellEnded: boolean };
  hardLimit?: NodeJS.Timeout;
  stopping?: Promise<void>;
  stopSent: boolean;
  restarts: number;
}

/** A script's first line, for a note. */
export function title(script: string): string {
  const line = script.trim().split("\n", 1)[0] ?? "";
  return `\`${line.length > 60 ? `${line.slice(0, 60)}…` : line}\``;
}
