"use client";

import { useRef, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { sumOfMoney } from "@/app/_ui/values/money";
import type { Estimate } from "@/server/messages/accept/estimate-schema";
import type { LineProblem } from "../../../_numbers/problem-lines";
import { type ReadyRow, toBatches } from "./batches";
import type { BulkDraft } from "./text-card";

/** Result of the check: rows that would fail, the cost of the others, and reasons to refuse all of them. */
export type Check = {
  rows: ReadyRow[];
  problems: LineProblem[];
  cost: number;
  segments: number;
  balance: number;
  currency: string;
  refusals: Estimate["refusals"];
};

/** A check of this text and these rows. While it runs, it has neither result nor error. */
type Run = { draft: BulkDraft; ready: readonly ReadyRow[]; check: Check | null; error: unknown };

/** Refusals that depend on the total, which an estimate of one part cannot know. */
const OF_THE_SUM = ["insufficient_balance"];

/**
 * Has the service check every row with the code that sends them. Nothing is charged or stored. A check is valid only for the
 * text and the rows that it was made from.
 */
export function useCheck(draft: BulkDraft, ready: readonly ReadyRow[]) {
  const utils = trpc.useUtils();
  const [shown, setShown] = useState<Run | null>(null);
  const latest = useRef<Run | null>(null);

  function show(run: Run | null): void {
    latest.current = run;
    setShown(run);
  }

  async function run(): Promise<void> {
    const own: Run = { draft, ready, check: null, error: null };
    show(own);
    const found: Check = { rows: [], problems: [], cost: 0, segments: 0, balance: 0, currency: "", refusals: [] };
    try {
      for (const batch of toBatches(ready)) {
        const estimate = await utils.client.messages.estimate.mutate({
          from: draft.from,
          body: draft.body,
          smart_encoding: draft.smart,
          recipients: batch.map(({ to }) => to),
          variables: batch.map(({ variables }) => variables),
        });
        // Another check has begun meanwhile, or this one was discarded.
        if (latest.current !== own) return;
        for (const [at, row] of batch.entries()) {
          const of = estimate.recipients[at];
          if (of?.refusal) found.problems.push({ line: row.line, number: row.to, problem: of.refusal.message });
          else {
            found.rows.push(row);
            found.segments += of?.segments ?? 0;
          }
        }
        found.cost = sumOfMoney([found.cost, estimate.cost]);
        found.balance = estimate.balance;
        found.currency = estimate.currency;
        const known = new Set(found.refusals.map(({ reason }) => reason));
        found.refusals.push(
          ...estimate.refusals.filter(({ reason }) => !known.has(reason) && !OF_THE_SUM.includes(reason)),
        );
      }
      show({ ...own, check: found });
    } catch (error) {
      if (latest.current === own) show({ ...own, error });
    }
  }

  const current = shown?.draft === draft && shown.ready === ready ? shown : null;
  return {
    check: current?.check ?? null,
    error: current?.error ?? null,
    isChecking: current !== null && current.check === null && current.error === null,
    run,
    reset: () => show(null),
  };
}
