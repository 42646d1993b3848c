"use client";

import { Box, Button, Stack, Text } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconPlayerPause, IconPlayerPlay, IconPlugConnected } from "@/app/_ui/icons/icons";
import { Problem } from "@/app/_ui/problem";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { PROVIDER_STATE_VIEWS } from "../provider-words";

/** Name and state of a provider, its current problem, and the actions that change its state. */
export function ProviderHeader({ provider }: { provider: ProviderDetail }) {
  const { label, tone } = PROVIDER_STATE_VIEWS[provider.state];
  return (
    <>
      <PageHeader
        title={PROVIDER_NAMES[provider.id]}
        actions={
          <>
            <Box data-testid="provider-state" display="flex">
              <StatusBadge tone={tone}>{label}</StatusBadge>
            </Box>
            <DrainButton provider={provider} />
          </>
        }
      />
      <ProblemAlert provider={provider} />
    </>
  );
}

function DrainButton({ provider: { id, is_drained } }: { provider: ProviderDetail }) {
  const utils = trpc.useUtils();
  const name = PROVIDER_NAMES[id];
  const drain = trpc.operator.providers.drain.useMutation({
    onSuccess: (data) => {
      toastDone(data.is_drained ? `${name} drained` : `${name} resumed`);
      utils.operator.providers.get.setData({ id }, data);
      return utils.operator.providers.invalidate();
    },
    onError: toastFailed,
  });
  const ask = () =>
    confirmAction({
      title: is_drained ? `Resume ${name}?` : `Drain ${name}?`,
      children: is_drained
        ? "Its routes send messages through it again."
        : "It gets no new messages; routes fall back to their next provider. Delivery receipts are still processed. Messages without another provider fail after ten minutes.",
      confirmLabel: is_drained ? "Resume" : "Drain",
      danger: !is_drained,
      onConfirm: () => drain.mutate({ id, is_drained: !is_drained }),
    });
  return (
    <Button
      variant="default"
      leftSection={is_drained ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
      loading={drain.isPending}
      onClick={ask}
    >
      {is_drained ? "Resume" : "Drain"}
    </Button>
  );
}

function ProblemAlert({
  provider: { id, state, problem, alarm: lastError, open_until },
}: {
  provider: ProviderDetail;
}) {
  if (state === "misconfigured") {
    return (
      <Problem title="The settings are invalid" mb="lg">
        <Text size="sm" className="break-word">
          {problem}
        </Text>
      </Problem>
    );
  }
  if (state !== "open" && state !== "probing" && lastError === null) return null;
  return (
    <Problem
      mb="lg"
      title={
        state === "probing"
          ? "Circuit breaker half-open: trying a few messages"
          : "Circuit breaker open: provider skipped"
      }
    >
      <Stack gap="sm" align="flex-start">
        {lastError && (
          <Text size="sm" className="break-word">
            {lastError}
          </Text>
        )}
        {state === "open" && open_until && (
          <Text size="sm">
            Next trial <Time value={open_until} />.
          </Text>
        )}
        <CloseBreakerButton id={id} />
      </Stack>
    </Problem>
  );
}

function CloseBreakerButton({ id }: Pick<ProviderDetail, "id">) {
  const utils = trpc.useUtils();
  const close = trpc.operator.providers.closeBreaker.useMutation({
    onSuccess: (data) => {
      toastDone(`Circuit breaker of ${PROVIDER_NAMES[id]} closed`);
      utils.operator.providers.get.setData({ id }, data);
      return utils.operator.providers.invalidate();
    },
    onError: toastFailed,
  });
  const ask = () =>
    confirmAction({
      title: "Close the circuit breaker?",
      children:
        "Messages are sent through it again at once. If the cause is not fixed, each one falls back to the next provider until the breaker opens again.",
      confirmLabel: "Close circuit breaker",
      danger: false,
      onConfirm: () => close.mutate({ id }),
    });
  return (
    <Button size="xs" leftSection={<IconPlugConnected size={16} />} loading={close.isPending} onClick={ask}>
      Close circuit breaker
    </Button>
  );
}
