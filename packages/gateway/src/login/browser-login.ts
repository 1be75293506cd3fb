import type { FetchLike } from "@modelcontextprotocol/client";
import { untilAborted } from "@toolglot/internal";
import { openLoopback } from "./loopback.ts";
import { checkPkce, finishCodeFlow, isAnswerTo, startCodeFlow } from "./oauth/code-flow.ts";
import type { discover } from "./oauth/discover.ts";
import { openBrowser } from "./open-browser.ts";
import type { LoginRecord, LoginStore } from "./store/login-store.ts";
import type { LoginInfo, LoginOptions, LoginServer } from "./types.ts";

/** What a login in a browser of this machine works with. */
export interface BrowserLogin {
  server: LoginServer;
  found: Awaited<ReturnType<typeof discover>>;
  store: LoginStore;
  fetch: FetchLike;
  signal: AbortSignal;
  onPrompt: LoginOptions["onPrompt"];
  /** Whether the browser is opened, too. */
  opens: boolean;
  /** Keeps what came of it. */
  keep(record: LoginRecord): Promise<LoginInfo>;
}

/** Logs in with a browser that comes back to this machine. */
export async function loginWithBrowser(given: BrowserLogin): Promise<LoginInfo> {
  const { server, found, store, fetch, signal, onPrompt, opens, keep } = given;
  checkPkce(server.name, found);
  const before = await store.readClient(found.issuer, "loopback");
  const port = before === undefined ? undefined : Number(new URL(before.redirectUri).port);
  const loopback = await openLoopback(server.name, port);
  try {
    const { redirectUri } = loopback;
    const place = { redirectUri, place: "loopback" };
    const { authorizationUrl, started } = await startCodeFlow(server, found, place, store, fetch);
    const finish = async (answer: URLSearchParams): Promise<LoginInfo> =>
      keep(await finishCodeFlow(server, started, answer, store, fetch));
    const info = loopback.answer((answer) => isAnswerTo(started, answer), finish, signal);
    // It may fail while the browser is opened.
    info.catch(() => {});
    const isOpened = opens && (await untilAborted(openBrowser(authorizationUrl), signal));
    onPrompt({ kind: "browser", url: authorizationUrl, isOpened });
    return await info;
  } finally {
    loopback.close();
  }
}
