import { withoutValues } from "@toolglot/secrets/executing";
import type { ShellResult, ShellSession } from "./types.ts";

/**
 * Wraps a session for texts that a model wrote, outside of `LocalTools`: placeholders are refused, and escaped ones undone, as in a call.
 * `mask`: hides values in what comes back.
 */
export function outerSession(
  session: ShellSession,
  mask: <Value>(value: Value) => Value = (value) => value,
): ShellSession {
  const masked = async (result: Promise<ShellResult>): Promise<ShellResult> => mask(await result);
  return {
    get state() {
      return mask(session.state);
    },
    run: async (script, { cwd, ...options } = {}) =>
      masked(
        session.run(withoutValues(script), { ...options, ...(cwd === undefined ? {} : { cwd: withoutValues(cwd) }) }),
      ),
    input: async (data, options) => masked(session.input(withoutValues(data), options)),
    ctrl: async (key, options) => masked(session.ctrl(withoutValues(key), options)),
    resize: (columns, rows) => session.resize(columns, rows),
    close: () => session.close(),
  };
}
