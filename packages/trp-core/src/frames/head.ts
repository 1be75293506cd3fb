/** What is known of a request frame when it is answered; null for what could not be read. */
export interface FrameHead {
  frameId: string | null;
  traceId: string | null;
  sessionId: string | null;
  catalogEpoch: number | null;
  seq: number | null;
  /** Of a single call or a result query. */
  callId: string | null;
}

/** The head of a frame of which nothing could be read: broken JSON, for example. */
export const emptyHead: Readonly<FrameHead> = {
  frameId: null,
  traceId: null,
  sessionId: null,
  catalogEpoch: null,
  seq: null,
  callId: null,
};
