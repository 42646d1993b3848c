"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useRef } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { Time } from "@/app/_ui/values/time";
import type { SecondFactor } from "@/server/auth/schema";
import { RegenerateRecoveryCodes } from "./regenerate-recovery-codes";

/** With so many recovery codes or fewer, new ones are advised. */
const FEW_CODES = 3;

/**
 * The recovery codes of somebody with a second factor; renders nothing for others.
 * @param isMaking whether new ones are being made, which other cards start as well.
 */
export function RecoveryCodesCard({
  isMaking,
  setMaking,
}: {
  isMaking: boolean;
  setMaking: (isMaking: boolean) => void;
}) {
  const { data: factor } = trpc.auth.secondFactor.get.useQuery();
  const title = useRef<HTMLHeadingElement>(null);
  const isNeeded = factor !== undefined && (factor.enabled || factor.passkeys > 0);
  // Codes that are shown stay, also if another window has removed the second factor meanwhile.
  if (!isNeeded && !isMaking) return null;
  return (
    <Card component="section" aria-labelledby="recovery-codes" padding="lg">
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={2} size="h4" id="recovery-codes" ref={title} tabIndex={-1}>
            {texts.recovery.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.recovery.description}
          </Text>
        </Stack>
        {isMaking ? (
          <RegenerateRecoveryCodes
            madeAt={factor?.recovery_codes_made_at ?? null}
            onDone={() => {
              setMaking(false);
              // The button that closed it is gone, and the focus with it.
              title.current?.focus();
            }}
          />
        ) : (
          <>
            {factor && <RecoveryCodesLeft factor={factor} />}
            <Group>
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} aria-hidden />}
                onClick={() => setMaking(true)}
              >
                {texts.recovery.open}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Card>
  );
}

/** How many recovery codes are left, with a warning once they are few, and when they were made. */
function RecoveryCodesLeft({
  factor: { recovery_codes_left: left, recovery_codes_made_at: madeAt },
}: {
  factor: SecondFactor;
}) {
  const made = madeAt && (
    <Text size="sm" c="dimmed">
      {texts.recovery.made} <Time value={madeAt} />
    </Text>
  );
  if (left <= FEW_CODES) {
    return (
      <Notice title={texts.recovery.left(left)}>
        {texts.recovery.fewLeft}
        {made}
      </Notice>
    );
  }
  return (
    <div>
      <Text size="sm">{texts.recovery.left(left)}</Text>
      {made}
    </div>
  );
}
