"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { QueryState } from "@/app/_ui/lists/query-state";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { DisableSecondFactor } from "./disable-second-factor";
import { EnrolSecondFactor } from "./enrol-second-factor";

/** Codes of an authenticator app, asked for at the sign-in. */
export function SecondFactorCard() {
  const factor = trpc.auth.secondFactor.get.useQuery();
  const begin = trpc.auth.secondFactor.begin.useMutation();
  const [disabling, setDisabling] = useState<"for good" | "again" | null>(null);
  return (
    <Card component="section" aria-labelledby="second-factor" padding="lg">
      <Stack gap="md">
        <Stack gap={4}>
          <Group gap="sm">
            <Title order={2} size="h4" id="second-factor">
              {texts.secondFactor.title}
            </Title>
            {factor.data?.enabled && <StatusBadge tone="success">{texts.secondFactor.enabled}</StatusBadge>}
          </Group>
          <Text size="sm" c="dimmed">
            {texts.secondFactor.description}
          </Text>
        </Stack>
        <QueryState query={factor}>
          {({ enabled, recovery_codes_left }) => {
            if (begin.data) {
              const again = () => {
                begin.reset();
                setDisabling("again");
              };
              return <EnrolSecondFactor enrolment={begin.data} onDone={begin.reset} onCodesLost={again} />;
            }
            if (disabling && enabled) {
              return (
                <DisableSecondFactor
                  onDone={() => setDisabling(null)}
                  onDisabled={() => disabling === "again" && begin.mutate()}
                />
              );
            }
            return (
              <Stack gap="sm">
                <ErrorAlert error={begin.error} title={texts.secondFactor.notSetUp} />
                {enabled && <Text size="sm">{texts.secondFactor.recoveryCodesLeft(recovery_codes_left)}</Text>}
                <Group>
                  {enabled ? (
                    <Button variant="default" onClick={() => setDisabling("for good")}>
                      {texts.secondFactor.disable}
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
