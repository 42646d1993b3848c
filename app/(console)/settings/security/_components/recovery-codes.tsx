"use client";

import { Button, Group, Stack } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { SecondFactor, SecondFactorRecovery } from "@/server/auth/schema";

/** Stands for recovery codes that were stored, but whose response was lost. */
export const LOST_CODES: SecondFactorRecovery = { recovery_codes: [], recovery_codes_made_at: "" };

type End = "replaced" | "disabled";

/** Why codes no longer work, which another tab or device may have caused; null: they still work. */
function endOf(codes: SecondFactorRecovery, factor: SecondFactor): End | null {
  if (factor.recovery_codes_made_at === null) return "disabled";
  return factor.recovery_codes_made_at > codes.recovery_codes_made_at ? "replaced" : null;
}

/** Tracks whether the shown codes still work: checks when the person returns to the page, and on request. */
function useEnd(codes: SecondFactorRecovery) {
  const utils = trpc.useUtils();
  const factor = trpc.auth.secondFactor.get.useQuery(undefined, { refetchOnWindowFocus: "always" });
  // When the person moves from one visible window to another, only the focus changes.
  useWindowEvent("focus", () => void factor.refetch());
  return {
    // State that was read earlier knows nothing of these codes.
    end: factor.data && factor.isFetchedAfterMount ? endOf(codes, factor.data) : null,
    /** @returns whether they still work; true also when the service cannot be reached. */
    look: async (): Promise<boolean> => {
      const found = await utils.client.auth.secondFactor.get.query().catch(() => null);
      if (found) utils.auth.secondFactor.get.setData(undefined, found);
      return !found || endOf(codes, found) === null;
    },
  };
}

/**
 * Shows new recovery codes, once; or says that they were lost or no longer work.
 * @param lost the explanation shown when they were lost.
 */
export function RecoveryCodes({
  made,
  lost,
  onDone,
  onMakeNew,
}: {
  made: SecondFactorRecovery;
  lost: string;
  onDone: () => void;
  /** Called when the person asks for new codes. */
  onMakeNew: () => void;
}) {
  const part = useRef<HTMLDivElement>(null);
  // The form that was submitted is gone, and the focus with it.
  useEffect(() => part.current?.focus(), []);
  const { end, look } = useEnd(made);
  const [isLooking, setLooking] = useState(false);
  const areLost = made.recovery_codes.length === 0;
  const areGone = areLost || end !== null;
  const keep = async () => {
    setLooking(true);
    if (await look()) onDone();
    else setLooking(false);
  };
  return (
    <Stack ref={part} tabIndex={-1} gap="md" maw={420} role="group" aria-label={texts.recovery.result}>
      {areLost ? (
        <Notice title={texts.recovery.lost} role="alert">
          {lost}
        </Notice>
      ) : end ? (
        <Notice title={texts.recovery.ended} role="alert">
          {texts.recovery.ends[end]}
        </Notice>
      ) : (
        <SecretValue
          label={texts.recovery.codes}
          value={made.recovery_codes.join("\n")}
          notice={texts.recovery.notice}
        />
      )}
      <Group>
        {areGone && end !== "disabled" && <Button onClick={onMakeNew}>{texts.recovery.open}</Button>}
        <Button
          variant={areGone ? "default" : undefined}
          loading={isLooking}
          onClick={areGone ? onDone : () => void keep()}
        >
          {areGone ? sharedTexts.close : texts.recovery.kept}
        </Button>
      </Group>
    </Stack>
  );
}
