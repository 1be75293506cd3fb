import { withoutValues } from "../fill/door.ts";
import type { ShellSession } from "./types.ts";

/** A session for texts that a model wrote: placeholders are refused, and escaped ones undone, as in a call. */
export function refusingPlaceholders(session: ShellSession): ShellSession {
  return {
    get state() {
      return session.state;
    },
    run: async (script, { cwd, ...options } = {}) =>
      session.run(withoutValues(script), {
        ...options,
        ...(cwd === undefined ? {} : { cwd: withoutValues(cwd) }),
      }),
    input: async (data, options) => session.input(withoutValues(data), options),
    ctrl: async (key, options) => session.ctrl(withoutValues(key), options),
    resize: (columns, rows) => session.resize(columns, rows),
    close: () => session.close(),
  };
}
