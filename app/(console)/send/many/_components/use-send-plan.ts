"use client";

import { useCallback, useEffect, useSyncExternalStore } from "react";
import { once, pageHeaders, trpc } from "@/app/_trpc/client";
import { keyOf, type Plan } from "./plan";
import { carryOut, NOTHING_SENT, putPlanAway, restorePlan, sendingStore, stopSending } from "./sending";

const nothingSent = () => NOTHING_SENT;

/**
 * The plan of this tab, and the actions on it.
 * @param accountId of the person; the plan of another account is discarded.
 */
export function useSendPlan(accountId: string) {
  const utils = trpc.useUtils();
  const sending = useSyncExternalStore(sendingStore.subscribe, sendingStore.read, nothingSent);

  useEffect(() => restorePlan(window.sessionStorage, accountId), [accountId]);

  const run = useCallback(
    async (start: Plan) => {
      // Set here, so that it also asks while another page is open.
      const ask = (event: BeforeUnloadEvent) => event.preventDefault();
      window.addEventListener("beforeunload", ask);
      // Taken now: an operator's page names no account, and batches that are sent while one is open belong to this account.
      const headers = pageHeaders();
      await carryOut(window.sessionStorage, start, (plan, at, batch) =>
        utils.client.messages.bulk.mutate(
          {
            from: plan.from,
            body: plan.body,
            smart_encoding: plan.smart,
            recipients: batch.map(({ to }) => to),
            variables: batch.map(({ variables }) => variables),
          },
          once(keyOf(plan, at), headers),
        ),
      );
      window.removeEventListener("beforeunload", ask);
      void utils.messages.invalidate();
      void utils.accounts.invalidate();
    },
    [utils],
  );

  return { ...sending, run, stop: stopSending, putAway: () => putPlanAway(window.sessionStorage) };
}
