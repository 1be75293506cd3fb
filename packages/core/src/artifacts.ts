/** Keeps long texts that a conversation names by their ids, so that requests to a model need not hold them. */
export interface ArtifactStore {
  /** Keeps a text for a run. Returns its id, a hash of the content, so that equal texts have one; undefined when it can't be kept. */
  put(text: string, about: { runId: string }): string | undefined | Promise<string | undefined>;
  /**
   * Characters (UTF-16 units) of a text, from `offset` on and at most `length` of them, and how many it has in all. Undefined for an id
   * that the run does not have: unknown, forgotten, or another run's. Without `runId`: of any run.
   */
  read(id: string, piece: { offset: number; length: number; runId?: string }): ArtifactPiece | Promise<ArtifactPiece>;
}

/** Result of {@link ArtifactStore.read}. */
export type ArtifactPiece = { text: string; total: number } | undefined;
