"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { once, trpc } from "@/app/_trpc/client";
import type { BulkResult } from "@/server/messages/schema";
import type { ReadyRow } from "./batches";
import {
  batchesOf,
  dropPlan,
  isFinished,
  isResumable,
  keepPlan,
  keyOf,
  type Plan,
  type Result,
  readPlan,
} from "./plan";

const resultsOf = (batch: readonly ReadyRow[], { messages }: BulkResult): Result[] =>
  batch.map(({ line, to }, at) => {
    const message = messages[at];
    return {
      line,
      to,
      id: message?.id ?? "",
      status: message?.status ?? "",
      error: message?.error?.message ?? "",
    };
  });

/**
 * Carries a plan out, batch by batch, each confirmed before the next. Confirmed batches are kept for this tab, so a reload
 * goes on where it was; the batch under way is repeated with its key, and carried out once.
 * @param accountId of the person; the plan of another account is put away.
 */
export function useSendPlan(accountId: string) {
  const utils = trpc.useUtils();
  const [plan, setPlan] = useState<Plan | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const isRunning = useRef(false);

  useEffect(() => {
    const kept = readPlan(window.sessionStorage);
    if (kept?.accountId === accountId) setPlan(kept);
    else if (kept) dropPlan(window.sessionStorage);
  }, [accountId]);

  useEffect(() => {
    if (!isSending) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isSending]);

  const run = useCallback(
    async (start: Plan) => {
      if (isRunning.current || !isResumable(start, Date.now())) return;
      isRunning.current = true;
      setSending(true);
      setError(null);
      let current = start;
      try {
        // Before the first request: what is not kept could not be repeated safely.
        keepPlan(window.sessionStorage, current);
        setPlan(current);
        const batches = batchesOf(current);
        for (const [at, batch] of batches.entries()) {
          if (at < current.results.length) continue;
          const { from, body, smart } = current;
          const result = await utils.client.messages.bulk.mutate(
            {
              from,
              body,
              smart_encoding: smart,
              recipients: batch.map(({ to }) => to),
              variables: batch.map(({ variables }) => variables),
            },
            once(keyOf(current, at)),
          );
          current = { ...current, results: [...current.results, resultsOf(batch, result)] };
          keepPlan(window.sessionStorage, current);
          setPlan(current);
        }
        void utils.messages.invalidate();
        void utils.accounts.invalidate();
      } catch (thrown) {
        setError(thrown);
      } finally {
        isRunning.current = false;
        setSending(false);
      }
    },
    [utils],
  );

  const putAway = useCallback(() => {
    dropPlan(window.sessionStorage);
    setPlan(null);
    setError(null);
  }, []);

  return { plan, error, isSending, isDone: plan !== null && isFinished(plan), run, putAway };
}
