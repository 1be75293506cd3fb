/** Returns what does a work once at a time; once more when it is asked for in the middle of it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    again ??= running
      .catch(() => {})
      .then(() => {
        again = undefined;
        return run();
      });
    return again;
  };
  return run;
}
