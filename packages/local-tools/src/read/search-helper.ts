import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { HeldFolder, type HeldPlace } from "../files/held-folder.ts";
import { FileSearch, type SearchedFile } from "./file-search.ts";
import { type SearchJob, type SearchState, searchBegins } from "./search-state.ts";
import type { SharedPlace } from "./shared-place.ts";

/** Files that the helper has at one time: while it searches some, others wait, so that it never does. */
const maxGiven = 2;
/** Milliseconds after which somebody who waits for it looks what it does. */
const lookMs = 20;

/** Files of one folder, all of which `shown` stands before. */
interface FolderFiles {
  folder: HeldPlace;
  shown: string;
  names: string[];
}

/** Messages to a helper: to begin a search, and files to search apart. */
type Request = { job: SearchJob } | { files: FolderFiles[]; room: readonly number[] };
interface Answer {
  found: SearchState | undefined;
}

/** A second thread, as the one that searches sees it. It answers in the order in which it is asked. */
export class SearchHelper {
  readonly #port: MessagePort;
  readonly #place: SharedPlace;
  /** Files that it was given, and answers that were read. */
  #given = 0;
  #read = 0;

  constructor(port: MessagePort, place: SharedPlace) {
    this.#port = port;
    this.#place = place;
  }

  /** Whether it has started, and not ended. */
  get isReady(): boolean {
    return this.#place.answered > 0;
  }

  /** Whether it takes files. */
  get isFree(): boolean {
    return this.isReady && this.#given - this.#read < maxGiven;
  }

  begin(job: SearchJob): void {
    this.#port.postMessage({ job } satisfies Request);
  }

  give(files: readonly SearchedFile[], room: readonly number[]): void {
    const folders: FolderFiles[] = [];
    let last: HeldFolder | undefined;
    for (const { folder, name, shown } of files) {
      if (folder === last) folders.at(-1)?.names.push(name);
      else folders.push({ folder: folder.place, shown: shown.slice(0, shown.length - name.length), names: [name] });
      last = folder;
    }
    this.#port.postMessage({ files: folders, room } satisfies Request);
    this.#given++;
  }

  /** Returns the next answer, if there is one: `found` is undefined when these files are to be searched one after the other. */
  take(): Answer | undefined {
    const received = receiveMessageOnPort(this.#port) as { message: Answer } | undefined;
    if (received !== undefined) this.#read++;
    return received?.message;
  }

  /** Waits for the next answer. Meanwhile what the helper looks at is what this thread looks at. */
  wait(begin: (shown: string) => void): Answer {
    for (let begun = -1; ; ) {
      const { answered } = this.#place;
      const answer = this.take();
      if (answer !== undefined) return answer;
      if (answered < 0) {
        this.#read++;
        return { found: undefined };
      }
      if (this.#place.begun !== begun) {
        begun = this.#place.begun;
        begin(this.#place.shown);
      }
      this.#place.wait(answered, lookMs);
    }
  }

  /** Waits until it has nothing more to do. */
  finish(begin: (shown: string) => void): void {
    while (this.#read < this.#given) this.wait(begin);
  }
}

/** What the second thread does: it searches the files that it is given. */
export function helpSearching(port: MessagePort, place: SharedPlace): void {
  let search: FileSearch | undefined;
  port.on("message", (request: Request) => {
    if ("job" in request) {
      const { job } = request;
      const progress = { begin: (shown: string) => place.begin(shown), keep: () => {} };
      search = new FileSearch(job, searchBegins(job.patterns.length), progress);
      return;
    }
    let found: SearchState | undefined;
    try {
      found = search?.apart(request.files.flatMap(filesOf), request.room);
    } catch {
      // The other thread meets the same, and reports it.
    }
    port.postMessage({ found } satisfies Answer);
    place.answer();
  });
  place.answer();
}

function filesOf({ folder, shown, names }: FolderFiles): SearchedFile[] {
  const held = HeldFolder.lent(folder);
  return names.map((name) => ({ folder: held, name, shown: shown + name }));
}
