"use client";

import { Box, Button, Stack, Text } from "@mantine/core";
import { providerTexts as texts } from "@/app/_texts/operator/provider";
import { providerWordsTexts as words } from "@/app/_texts/operator/provider-words";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconPlayerPause, IconPlayerPlay, IconPlugConnected } from "@/app/_ui/icons/icons";
import { Problem } from "@/app/_ui/problem";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { ProviderDetail } from "@/server/providers/operator-schema";
import { PROVIDER_STATE_TONES } from "../provider-words";

/** Name and state of a provider, its current problem, and the actions that change its state. */
export function ProviderHeader({ provider }: { provider: ProviderDetail }) {
  return (
    <>
      <PageHeader
        title={PROVIDER_NAMES[provider.id]}
        actions={
          <>
            <Box data-testid="provider-state" display="flex">
              <StatusBadge tone={PROVIDER_STATE_TONES[provider.state]}>{words.states[provider.state]}</StatusBadge>
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
  const action = is_drained ? texts.resume : texts.drain;
  const drain = useChange(utils.client.operator.providers.drain.mutate, {
    look: async (asked) => ifHolds(await utils.client.operator.providers.get.query({ id }), asked),
    onSuccess: (data) => {
      toastDone((data.is_drained ? texts.drain : texts.resume).done(name));
      utils.operator.providers.get.setData({ id }, data);
    },
    onError: toastFailed,
    onSettled: () => utils.operator.providers.invalidate(),
  });
  const ask = () =>
    confirmAction({
      title: action.ask(name),
      children: action.explanation,
      confirmLabel: action.submit,
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
      {action.submit}
    </Button>
  );
}

function ProblemAlert({ provider: { id, state, problem, alarm, open_until } }: { provider: ProviderDetail }) {
  if (state === "misconfigured") {
    return (
      <Problem title={texts.problem.invalidSettings} mb="lg">
        <Text size="sm" className="break-word">
          {problem}
        </Text>
      </Problem>
    );
  }
  if (state !== "open" && state !== "probing" && alarm === null) return null;
  return (
    <Problem mb="lg" title={state === "probing" ? texts.problem.halfOpen : texts.problem.open}>
      <Stack gap="sm" align="flex-start">
        {alarm && (
          <Text size="sm" className="break-word">
            {alarm}
          </Text>
        )}
        {state === "open" && open_until && (
          <Text size="sm">{texts.problem.nextTrial(<Time value={open_until} />)}</Text>
        )}
        <CloseBreakerButton id={id} />
      </Stack>
    </Problem>
  );
}

function CloseBreakerButton({ id }: Pick<ProviderDetail, "id">) {
  const utils = trpc.useUtils();
  const close = useChange(utils.client.operator.providers.closeBreaker.mutate, {
    look: async () => {
      const found = await utils.client.operator.providers.get.query({ id });
      return found.state === "open" || found.state === "probing" ? undefined : found;
    },
    onSuccess: (data) => {
      toastDone(texts.closeBreaker.done(PROVIDER_NAMES[id]));
      utils.operator.providers.get.setData({ id }, data);
    },
    onError: toastFailed,
    onSettled: () => utils.operator.providers.invalidate(),
  });
  const ask = () =>
    confirmAction({
      title: texts.closeBreaker.ask,
      children: texts.closeBreaker.explanation,
      confirmLabel: texts.closeBreaker.submit,
      danger: false,
      onConfirm: () => close.mutate({ id }),
    });
  return (
    <Button size="xs" leftSection={<IconPlugConnected size={16} />} loading={close.isPending} onClick={ask}>
      {texts.closeBreaker.submit}
    </Button>
  );
}
