import { visibleText } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";
import type { NameTool } from "../report/tool-names.ts";
import { Empty, type View } from "./layout.tsx";
import type { Markup } from "./markup.ts";
import { type Approval, type ArgumentLine, argumentLines, callOf, type Doubt, doubtLines } from "./rendered.ts";
import { minute, Time } from "./times.tsx";
import { ToolName } from "./tool-name.tsx";
import { doubtId } from "./view-data.ts";
import type { Words } from "./words.ts";

interface ListProps {
  view: View;
  router: Pick<Router, "approvals">;
  toolOf: NameTool;
}

/** What waits for a decision. */
export function WaitingList(props: ListProps & { approvals: Approval[]; older?: string }): Markup {
  const { view, router, toolOf, approvals, older } = props;
  const { words, account } = view;
  return (
    <div id="list" data-live data-version={`${account?.mark} ${minute(view)}`}>
      {approvals.length === 0 ? (
        <Empty title={words.nothingWaits} lead={words.nothingWaitsLead} />
      ) : (
        <>
          <h1 class="unseen">{words.waiting}</h1>
          <ul class="list">
            {approvals.map((approval) => (
              <li>
                <div class="row">
                  <Risk tier={approval.riskTier} words={words} />
                  <a href={`/approvals/${approval.id}`} id={`a-${approval.id}`}>
                    <ToolName tool={toolOf(approval.capId)} capId={approval.capId} />
                  </a>
                </div>
                <div class="when">
                  <Time at={approval.createdAt} view={view} />
                </div>
                <div class="about">
                  <bdi>{visibleText(approval.requester)}</bdi> · <bdi>{visibleText(approval.reason)}</bdi> ·{" "}
                  {words.willExpire[0]}
                  <Time at={approval.expiresAt} view={view} />
                  {words.willExpire[1]}
                </div>
                <Glance lines={argumentLines(router, approval)} />
              </li>
            ))}
          </ul>
          {older && <Older href={`/approvals?before=${older}`} words={words} />}
        </>
      )}
    </div>
  );
}

/** What was decided, or has expired. */
export function DecidedList(props: ListProps & { approvals: Approval[]; older?: string }): Markup {
  const { view, toolOf, approvals, older } = props;
  const { words, account } = view;
  return (
    <div id="list" data-live data-version={`${account?.mark} ${minute(view)}`}>
      {approvals.length === 0 && older === undefined ? (
        <Empty title={words.nothingDecided} />
      ) : (
        <>
          <h1 class="unseen">{words.decided}</h1>
          <ul class="list">
            {approvals.map((approval) => (
              <li>
                <div class="row">
                  <Status status={approval.status} words={words} />
                  <a href={`/approvals/${approval.id}`} id={`a-${approval.id}`}>
                    <ToolName tool={toolOf(approval.capId)} capId={approval.capId} />
                  </a>
                </div>
                <div class="when">
                  <Time at={approval.decidedAt ?? approval.expiresAt} view={view} />
                </div>
                <div class="about">
                  <bdi>{visibleText(approval.requester)}</bdi>
                  {approval.decidedBy !== undefined && (
                    <>
                      {" "}
                      · {words.decidedBy} <bdi>{visibleText(approval.decidedBy)}</bdi>
                    </>
                  )}
                  {approval.comment && (
                    <>
                      {" "}
                      · <bdi>{visibleText(approval.comment)}</bdi>
                    </>
                  )}
                </div>
              </li>
            ))}
          </ul>
          {older && <Older href={`/approvals/decided?before=${older}`} words={words} />}
        </>
      )}
    </div>
  );
}

/** Calls of which nobody knows whether they happened. */
export function DoubtList({ view, router, toolOf, doubts }: ListProps & { doubts: Doubt[] }): Markup {
  const { words, account } = view;
  return (
    <div id="list" data-live data-version={`${account?.mark} ${minute(view)}`}>
      {doubts.length === 0 ? (
        <Empty title={words.nothingInDoubt} lead={words.nothingInDoubtLead} />
      ) : (
        <>
          <h1 class="unseen">{words.inDoubt}</h1>
          <ul class="list">
            {doubts.map((doubt) => {
              const call = callOf(doubt);
              const id = doubtId(doubt);
              return (
                <li>
                  <div class="row">
                    <a href={`/approvals/in-doubt/${id}`} id={`d-${id}`}>
                      {call ? <ToolName tool={toolOf(call.capId)} capId={call.capId} /> : visibleText(doubt.key)}
                    </a>
                  </div>
                  <div class="when">
                    <Time at={doubt.startedAt ?? doubt.claimedAt} view={view} />
                  </div>
                  <div class="about">
                    {call && <bdi>{visibleText(call.requester)}</bdi>} · <bdi>{visibleText(doubt.reason ?? "")}</bdi>
                  </div>
                  {call && <Glance lines={doubtLines(router, doubt, call)} />}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}

/** What somebody has just decided. */
export function Done(props: { words: Words; approval: Approval; toolOf: NameTool }): Markup {
  const { words, approval, toolOf } = props;
  const isDenied = approval.status === "denied";
  return (
    <div class={`note ${isDenied ? "" : "good"}`} role="status">
      <p>
        {isDenied ? words.denied : words.approved}:{" "}
        <a href={`/approvals/${approval.id}`}>
          <ToolName tool={toolOf(approval.capId)} capId={approval.capId} />
        </a>
      </p>
    </div>
  );
}

function Older({ href, words }: { href: string; words: Words }): Markup {
  return (
    <a class="more" href={href} id="older">
      {words.older}
    </a>
  );
}

/** The first arguments on one line; the page of the request has all of them. */
function Glance({ lines }: { lines: ArgumentLine[] }): Markup | null {
  if (lines.length === 0) return null;
  const few = lines.slice(0, 4).map(({ path, value }) => `${path} ${value}`.trim().slice(0, 120));
  return <div class="glance">{few.join(", ")}</div>;
}

export function Risk({ tier, words }: { tier: string; words: Words }): Markup {
  const known = words.risk[tier];
  return <span class={`badge ${known === undefined ? "" : tier}`}>{known ?? visibleText(tier)}</span>;
}

export function Status({ status, words }: { status: Approval["status"]; words: Words }): Markup {
  const text = status === "expired" ? words.expiredState : words[status];
  return <span class={`badge ${status}`}>{text}</span>;
}
