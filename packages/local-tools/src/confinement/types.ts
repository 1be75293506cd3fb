/** How bubblewrap confines a shell. Paths are absolute. */
export interface BwrapOptions {
  /** The program that confines: bubblewrap. */
  kind: "bwrap";
  /** Path or name of bubblewrap. Default `bwrap`, from PATH; one inside a writable place is never taken. */
  bwrap?: string;
  /** Places that commands may change, besides the roots. They exist, and are no links. */
  writable?: readonly string[];
  /** Places that commands can't see, besides those that always are hidden (sockets, homes but for installed tools and git's settings). */
  hidden?: readonly string[];
  /**
   * `all`: everything that is not hidden can be read. A list: only these places, and what programs need; a place in a home that it names
   * is shown, `/` stands for everything. Default `all`.
   */
  readable?: "all" | readonly string[];
  /** Whether commands share the host's network. Default false: they have a loopback device of their own and nothing else. */
  network?: boolean;
}

/** How a shell is confined, as `state` has it. */
export interface ConfinedState {
  /** By which program: bubblewrap. */
  kind: "bwrap";
  /** Whether it shares the host's network. */
  network: boolean;
  /** Real paths. `/tmp` and `/var/tmp` can be written too, and are the shell's own. */
  writable: readonly string[];
  /** Real paths of what exists and is hidden. Of the user's own homes, tools and git's settings are shown all the same. */
  hidden: readonly string[];
}

/** Why a confinement can't be had; `data.reason` of a `ShellUnavailable`. */
export type ConfinementReason = "platform" | "no-bwrap" | "old-bwrap" | "userns-off" | "network-namespace" | "failed";

/** Something that exists. */
export interface FoundPlace {
  path: string;
  kind: "folder" | "file";
}

/** Something that has to be there so that nothing else can be put there. */
export interface StandIn extends FoundPlace {
  /** What a file holds. Default: nothing. */
  text?: string;
}

/** Something that can be read; `target`: it is a link, and stays one. */
export interface ReadablePlace {
  path: string;
  target?: string;
}
