/**
 * Whether something in the foreground waits for the terminal. `read`: it is blocked reading it. `poll`: it is blocked on a set of
 * descriptors with the terminal among them. `hidden`: not ours to look at (another user's, a set-uid program).
 */
export type Reading = "read" | "poll" | "no" | "hidden";

/** What can be seen of the shell's processes. */
export interface Processes {
  /** What can't be seen here, one sentence each. */
  readonly limits: readonly string[];
  /** Whether {@link place} works here. */
  readonly showsPlaces: boolean;
  /**
   * Returns the group in the terminal's foreground, or, without a terminal, of the shell's newest child; the shell's own number when it is
   * the shell itself, undefined when unknown.
   */
  foreground(shell: number, terminal: boolean): Promise<number | undefined>;
  /**
   * Returns processes of a group that were stopped before they began their program, while the one that starts them sleeps until they have: with
   * `vfork`, as dash does it, neither continues by itself.
   */
  stoppedInStart(group: number): number[];
  /** Returns where the shell stands, to be compared later: equal means at the same place, undefined that it is not blocked or not visible. */
  place(shell: number): string | undefined;
  /** Checks whether the group waits for the terminal or pipe at `place`. */
  reading(group: number, place: string): Reading | undefined;
  /** Returns what a process has open at a descriptor; undefined for nothing, and where the system doesn't show it. */
  openAt(pid: number, fd: number): string | undefined;
  /** Checks whether this is the session's terminal by another name. */
  isTerminalName(place: string): boolean;
  /** Checks whether a process was stopped by a signal. */
  isStopped(pid: number): boolean;
  /** Returns all processes of the shell's session, or what it has started, the shell excepted. */
  started(shell: number): Promise<number[]>;
  /** Returns the same without waiting, for the host's exit; may know less. */
  startedSync(shell: number): number[];
  /** Returns the shell's directory, links resolved. */
  cwd(shell: number): string | undefined;
}
