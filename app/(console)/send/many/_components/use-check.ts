"use client";

import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
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

/** Refusals that follow from the sum; an estimate of a part cannot know them. */
const OF_THE_SUM = ["insufficient_balance"];

const MICROS = 1_000_000;

/** Asks the service about every row, by the code that sends them. Nothing is charged or stored. */
export function useCheck() {
  const utils = trpc.useUtils();
  const [check, setCheck] = useState<Check | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isChecking, setChecking] = useState(false);

  async function run(draft: BulkDraft, ready: readonly ReadyRow[]): Promise<void> {
    setChecking(true);
    setError(null);
    setCheck(null);
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
        for (const [at, row] of batch.entries()) {
          const of = estimate.recipients[at];
          if (of?.refusal) found.problems.push({ line: row.line, number: row.to, problem: of.refusal.message });
          else {
            found.rows.push(row);
            found.segments += of?.segments ?? 0;
          }
        }
        // In whole micro-units: sums of decimals drift.
        found.cost = Math.round((found.cost + estimate.cost) * MICROS) / MICROS;
        found.balance = estimate.balance;
        found.currency = estimate.currency;
        const known = new Set(found.refusals.map(({ reason }) => reason));
        found.refusals.push(
          ...estimate.refusals.filter(({ reason }) => !known.has(reason) && !OF_THE_SUM.includes(reason)),
        );
      }
      setCheck(found);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setChecking(false);
    }
  }

  return { check, error, isChecking, run, reset: () => setCheck(null) };
}
