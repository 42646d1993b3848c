"use client";

import { ActionIcon, Button, Card, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconDevices, IconLogout } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { LongTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { Session } from "@/server/auth/schema";

/** The browsers in which the person is signed in, and the way to end each. */
export function SessionsCard() {
  const sessions = trpc.auth.sessions.list.useQuery();
  const others = sessions.data?.filter((session) => !session.is_current).length ?? 0;
  return (
    <Card component="section" aria-labelledby="sessions" padding={0}>
      <Group justify="space-between" gap="sm" p="lg">
        <Stack gap={4} flex="1 1 260px">
          <Title order={2} size="h4" id="sessions">
            {texts.sessions.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.sessions.description}
          </Text>
        </Stack>
        {others > 0 && <RevokeOthersButton />}
      </Group>
      <QueryState query={sessions}>
        {(rows) => (
          <LongTable
            label={texts.sessions.title}
            columns={columns()}
            rows={rows}
            rowKey={(session) => session.id}
            textOf={({ device, address }) => `${device} ${address}`}
            empty={
              <EmptyState icon={IconDevices} title={texts.sessions.none}>
                {texts.sessions.noneHint}
              </EmptyState>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}

const columns = (): ReadonlyArray<Column<Session>> => [
  {
    key: "device",
    header: texts.sessions.device,
    render: (session) => (
      <>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {session.device}
          </Text>
          {session.is_current && <StatusBadge tone="success">{texts.sessions.current}</StatusBadge>}
        </Group>
        <div className="small dimmed mantine-hidden-from-xs">
          <Time value={session.last_seen_at} />
        </div>
      </>
    ),
  },
  {
    key: "address",
    header: texts.sessions.address,
    visibleFrom: "sm",
    render: (session) => <span className="mono">{session.address ?? texts.sessions.unknownAddress}</span>,
  },
  {
    key: "created",
    header: texts.sessions.signedIn,
    visibleFrom: "md",
    render: (session) => <Time value={session.created_at} />,
  },
  {
    key: "seen",
    header: texts.sessions.lastSeen,
    visibleFrom: "xs",
    render: (session) => <Time value={session.last_seen_at} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.sessions.actions}</VisuallyHidden>,
    align: "right",
    render: (session) => !session.is_current && <RevokeButton session={session} />,
  },
];

function RevokeButton({ session }: { session: Session }) {
  const utils = trpc.useUtils();
  const revoke = useChange(utils.client.auth.sessions.revoke.mutate, {
    look: async ({ id }) => {
      const open = await utils.client.auth.sessions.list.query();
      return open.some((each) => each.id === id) ? undefined : { revoked: 1 };
    },
    onSuccess: () => toastDone(texts.signOut.done(session.device)),
    onError: toastFailed,
    onSettled: () => utils.auth.sessions.invalidate(),
  });
  return (
    <Tooltip label={texts.signOut.action}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={texts.signOut.actionOf(session.device)}
        loading={revoke.isPending}
        onClick={() =>
          confirmAction({
            title: texts.signOut.question(session.device),
            children: texts.signOut.consequence,
            confirmLabel: texts.signOut.action,
            onConfirm: () => revoke.mutate({ id: session.id }),
          })
        }
      >
        <IconLogout size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function RevokeOthersButton() {
  const utils = trpc.useUtils();
  const revoke = useChange((_: undefined) => utils.client.auth.sessions.revokeOthers.mutate(), {
    look: async () => {
      const open = await utils.client.auth.sessions.list.query();
      return open.every((each) => each.is_current) ? { revoked: 0 } : undefined;
    },
    onSuccess: () => toastDone(texts.signOutElsewhere.done),
    onError: toastFailed,
    onSettled: () => utils.auth.sessions.invalidate(),
  });
  return (
    <Button
      variant="default"
      loading={revoke.isPending}
      onClick={() =>
        confirmAction({
          title: texts.signOutElsewhere.question,
          children: texts.signOutElsewhere.consequence,
          confirmLabel: texts.signOutElsewhere.action,
          onConfirm: () => revoke.mutate(undefined),
        })
      }
    >
      {texts.signOutElsewhere.action}
    </Button>
  );
}
