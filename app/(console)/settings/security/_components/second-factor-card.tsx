"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useRef, useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { IconRefresh } from "@/app/_ui/icons/icons";
import { QueryState } from "@/app/_ui/lists/query-state";
import { Notice } from "@/app/_ui/notice";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { SecondFactor } from "@/server/auth/schema";
import { DisableSecondFactor } from "./disable-second-factor";
import { EnrolSecondFactor } from "./enrol-second-factor";
import { RegenerateRecoveryCodes } from "./regenerate-recovery-codes";

/** With so many recovery codes or fewer, new ones are advised. */
const FEW_CODES = 3;

/** The authenticator app, whose codes are asked for at sign-in. */
export function SecondFactorCard() {
  const factor = trpc.auth.secondFactor.get.useQuery();
  const begin = trpc.auth.secondFactor.begin.useMutation();
  const [open, setOpen] = useState<"disabling" | "regenerating" | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The button that closed it is gone, and the focus with it.
  const close = () => {
    begin.reset();
    setOpen(null);
    title.current?.focus();
  };
  return (
    <Card component="section" aria-labelledby="second-factor" padding="lg">
      <Stack gap="md">
        <Stack gap={4}>
          <Group gap="sm">
            <Title order={2} size="h4" id="second-factor" ref={title} tabIndex={-1}>
              {texts.secondFactor.title}
            </Title>
            {factor.data?.enabled && <StatusBadge tone="success">{texts.secondFactor.enabled}</StatusBadge>}
          </Group>
          <Text size="sm" c="dimmed">
            {texts.secondFactor.description}
          </Text>
        </Stack>
        <QueryState query={factor}>
          {(state) => {
            if (begin.data) {
              const regenerate = () => {
                begin.reset();
                setOpen("regenerating");
              };
              return <EnrolSecondFactor enrolment={begin.data} onDone={close} onCodesLost={regenerate} />;
            }
            if (open === "regenerating") {
              return <RegenerateRecoveryCodes madeAt={state.recovery_codes_made_at} onDone={close} />;
            }
            if (open === "disabling" && state.enabled) return <DisableSecondFactor onDone={close} />;
            return (
              <Stack gap="sm">
                <ErrorAlert error={begin.error} title={texts.secondFactor.notSetUp} />
                {state.enabled && <RecoveryCodesLeft factor={state} />}
                <Group>
                  {state.enabled ? (
                    <>
                      <Button
                        variant="default"
                        leftSection={<IconRefresh size={16} aria-hidden />}
                        onClick={() => setOpen("regenerating")}
                      >
                        {texts.recovery.open}
                      </Button>
                      <Button variant="default" onClick={() => setOpen("disabling")}>
                        {texts.disable.submit}
                      </Button>
                    </>
                  ) : (
                    <Button loading={begin.isPending} onClick={() => begin.mutate()}>
                      {texts.secondFactor.setUp}
                    </Button>
                  )}
                </Group>
              </Stack>
            );
          }}
        </QueryState>
      </Stack>
    </Card>
  );
}

/** How many recovery codes are left, with a warning once they are few, and when they were made. */
function RecoveryCodesLeft({ factor: { recovery_codes_left: left, recovery_codes_made_at: madeAt } }: Shown) {
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

type Shown = { factor: SecondFactor };
