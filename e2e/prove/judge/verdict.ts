/** Compares the four books. Every list of defects names its cases, so that each can be examined. */

import { mayFollow } from "../load/reader";
import type { Taken } from "../world/carriers";
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";
import { judgeBans } from "./judge-bans";
import { judgeCredits, judgeRefusals } from "./judge-credits";
import { judgeEndpoints } from "./judge-endpoints";
import { judgeEvents } from "./judge-events";
import { judgeKeys } from "./judge-keys";
import { judgeMoney } from "./judge-money";
import { judgeQuotas } from "./judge-quotas";
import { judgeRates } from "./judge-rates";
import { judgeRefusedSends } from "./judge-refused-sends";
import { judgeReplies } from "./judge-replies";
import { judgeSchedule } from "./judge-schedule";
import { judgeCapFailures, judgeSpending } from "./judge-spending";
import { judgeTestMode } from "./judge-test-mode";

/** Descriptions of cases. */
type Cases = string[];

/** Defects of the service: a single case fails the proof. */
export type Defects = {
  lost: Cases;
  duplicated: Cases;
  drift: Cases;
  backwards: Cases;
  /** Failed with an unknown outcome although no attempt was ever begun. */
  neverBegun: Cases;
  disabledByUs: Cases;
  unfinished: Cases;
  frozen: Cases;
  eventsMissing: Cases;
  eventsForged: Cases;
  keyedTwice: Cases;
  /** Messages of sends whose callers were told that they are refused. */
  sentThoughRefused: Cases;
  canceled: Cases;
  untimely: Cases;
  tooFast: Cases;
  replies: Cases;
  /** Deleted texts that still exist, and texts that are gone although nobody deleted them. */
  texts: Cases;
  /** Credits that are not in the ledger once, as the operator was told. */
  credits: Cases;
  /** Balances below zero, and messages accepted beyond a spending cap. */
  overspent: Cases;
  /** Refusals for lack of money without a reason. */
  refusedWrongly: Cases;
  testMode: Cases;
  /** Suppressions, deleted sender IDs and suspensions that did not hold, or that did not end. */
  bans: Cases;
  /** Keys that were refused too early, or worked too late. */
  keys: Cases;
  /** Quotas of keys that were passed, counted wrongly, or refused messages although they had room. */
  quotas: Cases;
  /** Keys that made more requests per minute than they allow, or were refused some although these were not used up. */
  rates: Cases;
  /** Created, changed and deleted endpoints that got events they should not get, or missed some. */
  endpoints: Cases;
  /** Findings of the service's own check of the audit log. */
  audit: Cases;
  unserved: Cases;
  /** An empty book agrees with every other, so it proves nothing. */
  empty: Cases;
};

/** Observations that are not defects by themselves. */
type Remarks = {
  accepted: number;
  sends: number;
  /** A message that reached its recipient twice because the first attempt's outcome could not be known. */
  duplicatedAllowed: Cases;
  /** Of those, messages whose carrier had responded at once: the service lost the response. */
  duplicatedAfterResponse: Cases;
  /** Failed with an unknown outcome, and refunded, although a carrier took it. */
  failedThoughTaken: Cases;
  /** Attempts claimed and given back unmade, because their process was stopping. */
  takenBack: number;
  /** Begun, but no carrier read a request: the process died first, or the carrier hung before reading. */
  diedBeforeLeaving: Cases;
  /** Sent in parts, one of which was never taken or has no known id: only 72 hours end it. */
  waitForParts: Cases;
  /** Messages pending at rest, which only their age ends, and whose attempt reached a carrier. */
  unresolvedCalled: number;
  /** The same for messages whose attempts reached none. */
  unresolvedNotCalled: number;
  failuresByCode: Record<string, number>;
};

export type Verdict = { defects: Defects; remarks: Remarks };

const UNKNOWN = "provider_outcome_unknown";

/** @returns whether there is no defect. */
export const isClean = ({ defects }: Verdict): boolean => Object.values(defects).every((cases) => cases.length === 0);

/** Whether this number of submissions is allowed: each except the last must be an attempt with an unknown outcome. */
function mayBeRepeated(evidence: Evidence, message: StoredMessage, taken: readonly Taken[]): boolean {
  if (evidence.policy === "hold") return false;
  const references = taken.flatMap(({ reference }) => reference ?? []);
  if (new Set(references).size < references.length) return false;
  const steps = evidence.history.attempts.filter((step) => step.messageId === message.id);
  const unknown = new Set(steps.filter(({ outcome }) => outcome === "unknown").map(({ seq }) => seq));
  for (const [carrier, own] of groupBy(taken, (each) => each.carrier)) {
    const seqs = new Set(steps.filter(({ provider }) => provider === carrier).map(({ seq }) => seq));
    if (own.length > seqs.size) return false;
  }
  return taken.length <= 1 + unknown.size;
}

/**
 * Whether only 72 hours can end a message: the carrier never took one of its parts, or the response with the part's id was
 * lost and its receipts carry only that id.
 */
function waitsForParts({ status, segments, knownParts }: StoredMessage, taken: readonly Taken[]): boolean {
  if (status !== "sent") return false;
  if (taken.length === 0) return true;
  const isAnonymous = taken.every(({ reference }) => reference === null);
  return isAnonymous && segments > 1 && (knownParts ?? 0) < segments;
}

function judgeTexts({ redactions, database }: Evidence): Cases {
  const idsWith = (known: boolean | null) =>
    new Set(redactions.flatMap(({ id, isDeleted }) => (isDeleted === known ? [id] : [])));
  const [deleted, unknown] = [idsWith(true), idsWith(null)];
  return [...database.messages, ...database.testMessages].flatMap(({ id, hasText }) => {
    if (hasText !== deleted.has(id) || (!hasText && unknown.has(id))) return [];
    return [hasText ? `the text of ${id} was deleted and is there` : `the text of ${id} is gone`];
  });
}

/** Compares the books. */
export function judge(evidence: Evidence): Verdict {
  const { sends, requests, taken, database, history, reading, received } = evidence;
  const byId = new Map(database.messages.map((message) => [message.id, message]));
  const byNumber = groupBy(database.messages, (message) => message.to);
  const takenByNumber = groupBy(taken, (each) => each.to);
  const requestsByNumber = groupBy(requests, (each) => each.to);
  const accepted = sends.flatMap(({ messages }) => messages ?? []);

  const lost: Cases = [
    ...accepted.flatMap(({ id, to }) =>
      byId.get(id)?.to === to ? [] : [`${id} to ${to} was accepted and is not there`],
    ),
    ...reading.missing.map((id) => `${id} was accepted and could not be read`),
    ...database.messages.flatMap(({ id, to, status }) =>
      (status === "sent" || status === "delivered" || status === "undelivered") && !takenByNumber.has(to)
        ? [`${id} is ${status}, and no carrier took it`]
        : [],
    ),
  ];

  const remarks: Remarks = {
    accepted: accepted.length,
    sends: sends.length,
    duplicatedAllowed: [],
    duplicatedAfterResponse: [],
    failedThoughTaken: [],
    diedBeforeLeaving: [],
    waitForParts: [],
    takenBack: history.attempts.filter(({ op }) => op === "DELETE").length,
    unresolvedCalled: evidence.unresolved.filter(({ to }) => requestsByNumber.has(to)).length,
    unresolvedNotCalled: evidence.unresolved.filter(({ to }) => !requestsByNumber.has(to)).length,
    failuresByCode: {},
  };

  const duplicated: Cases = [];
  for (const [to, copies] of takenByNumber) {
    const [message] = byNumber.get(to) ?? [];
    if (!message) lost.push(`${to} was sent to by ${copies[0]?.carrier}, and no message is there`);
    if (copies.length < 2 || !message) continue;
    const described = `${message.id} to ${to}: ${copies.map(({ carrier, reference }) => `${carrier} ${reference ?? ""}`).join(", ")}`;
    if (!mayBeRepeated(evidence, message, copies)) duplicated.push(described);
    else {
      remarks.duplicatedAllowed.push(described);
      const first = requestsByNumber.get(to)?.[0]?.behavior;
      if (first === "accept") remarks.duplicatedAfterResponse.push(described);
    }
  }

  const neverBegun: Cases = [];
  const attemptsById = groupBy(database.attempts, (attempt) => attempt.messageId);
  for (const { id, to, status, errorCode } of database.messages) {
    if (status !== "failed") continue;
    const code = errorCode ?? "none";
    remarks.failuresByCode[code] = (remarks.failuresByCode[code] ?? 0) + 1;
    if (code !== UNKNOWN) continue;
    if (takenByNumber.has(to)) remarks.failedThoughTaken.push(`${id} to ${to}`);
    if (requestsByNumber.has(to)) continue;
    const wasBegun = attemptsById.get(id)?.some(({ begun }) => begun === true) ?? false;
    (wasBegun ? remarks.diedBeforeLeaving : neverBegun).push(`${id} to ${to}`);
  }

  const open = database.messages.filter(({ status }) => status === "pending" || status === "sent");
  const isInParts = (message: StoredMessage) => waitsForParts(message, takenByNumber.get(message.to) ?? []);
  remarks.waitForParts.push(...open.filter(isInParts).map(({ id, to }) => `${id} to ${to}`));

  const backwards: Cases = [
    ...reading.backwards.map((move) => `read: ${move}`),
    ...history.moves.flatMap(({ messageId, former, status }) =>
      former !== status && mayFollow(former, status) ? [] : [`${messageId} went from ${former} to ${status}`],
    ),
  ];
  const events = judgeEvents(evidence);
  return {
    defects: {
      lost,
      duplicated,
      drift: judgeMoney(evidence),
      backwards: [...backwards, ...events.backwards],
      neverBegun,
      disabledByUs: events.disabledByUs,
      unfinished: [
        ...open
          .filter((message) => !isInParts(message))
          .map(({ id, to, status, facts }) => {
            return `${id} to ${to} is ${status}${requestsByNumber.has(to) ? "" : ", never called"}: ${facts}`;
          }),
        ...sends.flatMap(({ key, messages, refused }) =>
          key !== null && messages === null && !refused ? [`${key} never got an answer`] : [],
        ),
        ...(evidence.stuckJobs > 0 ? [`${evidence.stuckJobs} jobs are locked, and nobody does them`] : []),
        ...(database.deadJobs > 0 ? [`${database.deadJobs} jobs were given up`] : []),
      ],
      frozen: evidence.frozen.map(({ process, queue }) => `${process}: ${queue}`),
      eventsMissing: events.missing,
      eventsForged: events.forged,
      keyedTwice: [...byNumber].flatMap(([to, own]) =>
        own.length > 1 ? [`${to}: ${own.map(({ id }) => id).join(", ")}`] : [],
      ),
      sentThoughRefused: judgeRefusedSends(evidence),
      ...judgeSchedule(evidence),
      replies: judgeReplies(evidence),
      texts: judgeTexts(evidence),
      credits: judgeCredits(evidence),
      overspent: judgeSpending(evidence),
      refusedWrongly: [...judgeRefusals(evidence), ...judgeCapFailures(evidence)],
      testMode: judgeTestMode(evidence),
      bans: judgeBans(evidence),
      keys: judgeKeys(evidence),
      quotas: judgeQuotas(evidence),
      rates: judgeRates(evidence),
      endpoints: judgeEndpoints(evidence),
      audit: /"digests":[1-9].*"faults":\[\]/.test(evidence.auditCheck)
        ? []
        : [evidence.auditCheck.trim().slice(0, 300)],
      unserved: [...evidence.unserved],
      empty: Object.entries({ accepted, taken, received }).flatMap(([book, entries]) =>
        entries.length === 0 ? [`nothing ${book}`] : [],
      ),
    },
    remarks,
  };
}
