"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useRef, useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { QueryState } from "@/app/_ui/lists/query-state";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { DisableSecondFactor } from "./disable-second-factor";
import { EnrollSecondFactor } from "./enroll-second-factor";

/**
 * The authenticator app, whose codes are asked for at sign-in.
 * @param onCodesLost is called when the recovery codes were lost on the way and the person asks for new ones.
 */
export function SecondFactorCard({ onCodesLost }: { onCodesLost: () => void }) {
  const factor = trpc.auth.secondFactor.get.useQuery();
  const begin = trpc.auth.secondFactor.begin.useMutation();
  const [isDisabling, setDisabling] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  // The button that closed it is gone, and the focus with it.
  const close = () => {
    begin.reset();
    setDisabling(false);
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
              const makeNew = () => {
                begin.reset();
                onCodesLost();
              };
              return <EnrollSecondFactor enrollment={begin.data} onDone={close} onCodesLost={makeNew} />;
            }
            if (isDisabling && state.enabled) return <DisableSecondFactor onDone={close} />;
            return (
              <Stack gap="sm">
                <ErrorAlert error={begin.error} title={texts.secondFactor.notSetUp} />
                <Group>
                  {state.enabled ? (
                    <Button variant="default" onClick={() => setDisabling(true)}>
                      {texts.disable.submit}
                    </Button>
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
