import { createHash, createHmac, randomUUID } from "node:crypto";
import { request } from "node:http";

type Json = Record<string, unknown>;

/** A frame as it comes back. */
export interface Frame {
  frame_type: string;
  catalog_epoch: number | null;
  session_id: string | null;
  seq: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read into payloads of every type.
  payload: any;
}

/** Posts JSON with plain `node:http`: nothing of ours is between the test and the router. */
export function post(url: string, body: unknown, token?: string): Promise<{ status: number; body: Frame }> {
  return new Promise((resolve, reject) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const out = request(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        let all = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          all += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(all) as Frame }));
      },
    );
    out.on("error", reject);
    out.end(text);
  });
}

/** An agent that writes its frames by hand. */
export class HandClient {
  readonly #url: string;
  readonly #token: string | undefined;
  session: string | null = null;
  epoch: number | null = null;
  seq = 1;
  /** `cap_id` to number. */
  readonly idx: Map<string, number> = new Map();

  constructor(url: string, token?: string) {
    this.#url = `${url}/trp/frame`;
    this.#token = token;
  }

  /** Says hello and reads the catalog. */
  async open(): Promise<Json[]> {
    const hello = await this.send("HELLO_REQ", {
      agent_id: "by-hand",
      supported_versions: ["0.1"],
      resume_session_id: null,
    });
    if (hello.frame_type !== "HELLO_RES") throw new Error(JSON.stringify(hello));
    this.session = hello.payload.session_id;
    this.epoch = hello.payload.catalog_epoch;
    this.seq = hello.payload.seq_start;
    const sync = await this.send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: this.epoch });
    this.epoch = sync.payload.catalog_epoch;
    const rows = sync.payload.alias_table as { idx: number; cap_id: string }[];
    for (const { idx, cap_id } of rows) this.idx.set(cap_id, idx);
    return rows as unknown as Json[];
  }

  async send(type: string, payload: Json): Promise<Frame> {
    const hello = type === "HELLO_REQ";
    const frame = {
      trp_version: "0.1",
      frame_type: type,
      session_id: this.session,
      frame_id: `frm_${randomUUID()}`,
      trace_id: "trc_by_hand",
      timestamp_ms: Date.now(),
      catalog_epoch: this.epoch,
      seq: hello ? null : this.seq,
      payload,
    };
    if (!hello) this.seq += 1;
    return (await post(this.#url, frame, this.#token)).body;
  }

  /** One call; `key` and whatever else stands in its payload in `more`. */
  call(capId: string, args: Json, key: string | null = null, more: Json = {}): Promise<Frame> {
    return this.send("CALL_REQ", {
      call_id: `call_${randomUUID()}`,
      idempotency_key: key,
      idx: this.idx.get(capId),
      cap_id: capId,
      depends_on: [],
      attempt: 1,
      timeout_ms: 15_000,
      approval_token: null,
      args,
      ...more,
    });
  }
}

/** JSON with sorted keys and no spaces; enough for arguments without fractions. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}

/** A signed approval token, made here as another program would make it. */
export function approvalToken(secret: string, capId: string, args: Json): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    v: 1,
    cap_id: capId,
    args_digest: `sha256:${createHash("sha256").update(canonical(args)).digest("hex")}`,
    iat: now,
    exp: now + 300,
    jti: `appr_${randomUUID().replaceAll("-", "").slice(0, 12)}`,
  };
  const payload = Buffer.from(canonical(claims)).toString("base64url");
  return `appr1.${payload}.${createHmac("sha256", secret).update(payload).digest("base64url")}`;
}
