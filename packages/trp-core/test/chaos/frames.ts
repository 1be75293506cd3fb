import { Agent, request } from "node:http";

/** A frame as it is on the wire; these tests read it without our types. */
// biome-ignore lint/suspicious/noExplicitAny: the point of the test is what comes back.
export type Frame = Record<string, any>;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Posts one frame; rejects when the router is gone or says nothing for `timeoutMs`. */
export function post(port: number, frame: Frame, timeoutMs: number): Promise<Frame> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(frame);
    const sending = request(
      {
        host: "127.0.0.1",
        port,
        path: "/trp/frame",
        method: "POST",
        agent,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      async (response) => {
        try {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve(JSON.parse(text));
        } catch (error) {
          reject(error);
        }
      },
    );
    sending.setTimeout(timeoutMs, () => sending.destroy(new Error("no answer")));
    sending.on("error", reject);
    sending.end(body);
  });
}

let count = 0;

/** A frame with the envelope filled in. */
export function frame(
  type: string,
  session: { id: string; epoch: number } | null,
  seq: number | null,
  payload: Frame,
): Frame {
  const id = `${process.pid}_${++count}`;
  return {
    trp_version: "0.1",
    frame_type: type,
    session_id: session?.id ?? null,
    frame_id: `frm_${id}`,
    trace_id: `trc_${id}`,
    timestamp_ms: Date.now(),
    catalog_epoch: session?.epoch ?? null,
    seq,
    payload,
  };
}

export const hello: Frame = {
  agent_id: "chaos",
  supported_versions: ["0.1"],
  resume_session_id: null,
  features: ["CANCEL"],
};
