/**
 * Lets the host read what is pending, as after it was busy: until three turns of its loop in a row brought nothing, or `most`
 * were made. `count`: how much has come so far.
 */
export async function quietTurns(count: () => number, most = 100): Promise<void> {
  let still = 0;
  for (let turn = 0; turn < most && still < 3; turn++) {
    const before = count();
    await new Promise<void>((resolve) => setImmediate(resolve));
    still = count() === before ? still + 1 : 0;
  }
}
