"use client";

import { Button, Group, Stack } from "@mantine/core";
import { useEffect, useRef } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { SecondFactorRecovery } from "@/server/auth/schema";

/** Recovery codes are stored, and nobody has seen them. */
export const LOST_CODES: SecondFactorRecovery = { recovery_codes: [] };

/**
 * Shows new recovery codes, once; or says that they were lost.
 * @param lost what is known then.
 */
export function RecoveryCodes({
  codes,
  lost,
  onDone,
  onMakeNew,
}: {
  codes: SecondFactorRecovery["recovery_codes"];
  lost: string;
  onDone: () => void;
  /** The person wants others, which arrive. */
  onMakeNew: () => void;
}) {
  const part = useRef<HTMLDivElement>(null);
  // The form that was submitted is gone, and the focus with it.
  useEffect(() => part.current?.focus(), []);
  const areLost = codes.length === 0;
  return (
    <Stack ref={part} tabIndex={-1} gap="md" maw={420} role="group" aria-label={texts.recovery.result}>
      {areLost ? (
        <Notice title={texts.recovery.lost} role="alert">
          {lost}
        </Notice>
      ) : (
        <SecretValue label={texts.recovery.codes} value={codes.join("\n")} notice={texts.recovery.notice} />
      )}
      <Group>
        {areLost && <Button onClick={onMakeNew}>{texts.recovery.open}</Button>}
        <Button variant={areLost ? "default" : undefined} onClick={onDone}>
          {areLost ? sharedTexts.close : texts.recovery.kept}
        </Button>
      </Group>
    </Stack>
  );
}
