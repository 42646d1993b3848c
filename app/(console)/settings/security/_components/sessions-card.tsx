"use client";

import { ActionIcon, Button, Card, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconDevices, IconLogout } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
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
            Sessions
          </Title>
          <Text size="sm" c="dimmed">
            A session ends when you sign out, after 7 days without use, and after 30 days at most.
          </Text>
        </Stack>
        {others > 0 && <RevokeOthersButton />}
      </Group>
      <QueryState query={sessions}>
        {(rows) => (
          <PagedTable
            label="Sessions"
            columns={columns}
            rows={rows}
            rowKey={(session) => session.id}
            empty={
              <EmptyState icon={IconDevices} title="No open session">
                Sign in again to see your sessions.
              </EmptyState>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}

const columns: ReadonlyArray<Column<Session>> = [
  {
    key: "device",
    header: "Device",
    render: (session) => (
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {session.device}
        </Text>
        {session.is_current && <StatusBadge tone="success">This one</StatusBadge>}
      </Group>
    ),
  },
  {
    key: "address",
    header: "Address",
    visibleFrom: "sm",
    render: (session) => <span className="mono">{session.address ?? "Unknown"}</span>,
  },
  {
    key: "created",
    header: "Signed in",
    visibleFrom: "md",
    render: (session) => <Time value={session.created_at} />,
  },
  { key: "seen", header: "Last seen", render: (session) => <Time value={session.last_seen_at} /> },
  {
    key: "actions",
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    align: "right",
    render: (session) => !session.is_current && <RevokeButton session={session} />,
  },
];

function RevokeButton({ session }: { session: Session }) {
  const utils = trpc.useUtils();
  const revoke = trpc.auth.sessions.revoke.useMutation({
    onSuccess: () => {
      toastDone(`${session.device} is signed out`);
      return utils.auth.sessions.invalidate();
    },
    onError: toastFailed,
  });
  return (
    <Tooltip label="Sign out">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Sign out ${session.device}`}
        loading={revoke.isPending}
        onClick={() =>
          confirmAction({
            title: `Sign out ${session.device}?`,
            children: "This device has to sign in again. If it was not you, change your password too.",
            confirmLabel: "Sign out",
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
  const revoke = trpc.auth.sessions.revokeOthers.useMutation({
    onSuccess: () => {
      toastDone("You are signed out everywhere else");
      return utils.auth.sessions.invalidate();
    },
    onError: toastFailed,
  });
  return (
    <Button
      variant="default"
      loading={revoke.isPending}
      onClick={() =>
        confirmAction({
          title: "Sign out everywhere else?",
          children: "Every session but this one ends.",
          confirmLabel: "Sign out everywhere else",
          onConfirm: () => revoke.mutate(),
        })
      }
    >
      Sign out everywhere else
    </Button>
  );
}
