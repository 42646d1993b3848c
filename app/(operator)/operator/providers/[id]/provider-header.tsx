"use client";

import { Alert, Box, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconPlayerPause, IconPlayerPlay, IconPlugConnected } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/confirm";
import { PageHeader } from "@/app/_ui/page-header";
import { StatusBadge } from "@/app/_ui/status-badge";
import { Time } from "@/app/_ui/time";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { PROVIDER_NAMES, PROVIDER_STATE_VIEWS } from "../provider-words";

/** Name and state of a provider, what is wrong with it, and the deeds that change its state. */
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
      <Trouble provider={provider} />
    </>
  );
}

function DrainButton({ provider: { id, is_drained } }: { provider: ProviderDetail }) {
  const utils = trpc.useUtils();
  const name = PROVIDER_NAMES[id];
  const drain = trpc.operator.providers.drain.useMutation({
    onSuccess: (data) => {
      toastDone(data.is_drained ? `${name} gets nothing new.` : `${name} gets messages again.`);
      utils.operator.providers.get.setData({ id }, data);
      return utils.operator.providers.invalidate();
    },
    onError: toastFailed,
  });
  const ask = () =>
    confirmAction({
      title: is_drained ? `Resume ${name}?` : `Drain ${name}?`,
      children: is_drained
        ? "Routes that name it hand messages to it again."
        : "It gets no new messages; the next provider of each route does. Receipts for what it has are still taken in. What has no other way fails after ten minutes.",
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

function Trouble({ provider: { id, state, problem, alarm, open_until } }: { provider: ProviderDetail }) {
  if (state === "misconfigured") {
    return (
      <Alert
        color="red"
        variant="light"
        mb="lg"
        icon={<IconAlertTriangle aria-hidden />}
        title="Its settings are wrong"
      >
        <Text size="sm" className="break-word">
          {problem}
        </Text>
      </Alert>
    );
  }
  if (state !== "open" && state !== "probing" && alarm === null) return null;
  return (
    <Alert
      color="red"
      variant="light"
      mb="lg"
      icon={<IconAlertTriangle aria-hidden />}
      title={state === "probing" ? "A few messages are trying it out" : "It is skipped for now"}
    >
      <Stack gap="sm" align="flex-start">
        {alarm && (
          <Text size="sm" className="break-word">
            {alarm}
          </Text>
        )}
        {state === "open" && open_until && (
          <Text size="sm">
            Tried again <Time value={open_until} />.
          </Text>
        )}
        <CloseBreakerButton id={id} />
      </Stack>
    </Alert>
  );
}

function CloseBreakerButton({ id }: Pick<ProviderDetail, "id">) {
  const utils = trpc.useUtils();
  const close = trpc.operator.providers.closeBreaker.useMutation({
    onSuccess: (data) => {
      toastDone(`${PROVIDER_NAMES[id]} gets messages again.`);
      utils.operator.providers.get.setData({ id }, data);
      return utils.operator.providers.invalidate();
    },
    onError: toastFailed,
  });
  const ask = () =>
    confirmAction({
      title: "Close the breaker?",
      children: "Messages go to it again at once. When what was wrong is not mended, they fail over one by one first.",
      confirmLabel: "Close breaker",
      danger: false,
      onConfirm: () => close.mutate({ id }),
    });
  return (
    <Button size="xs" leftSection={<IconPlugConnected size={16} />} loading={close.isPending} onClick={ask}>
      Close breaker
    </Button>
  );
}
