"use client";

import { ActionIcon, Card, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { rolesTexts } from "@/app/_texts/settings/roles";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { IconMailOff } from "@/app/_ui/icons/icons";
import { LongTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { Time } from "@/app/_ui/values/time";
import type { Invitation } from "@/server/members/schema";

const columns = (): ReadonlyArray<Column<Invitation>> => [
  {
    key: "email",
    header: texts.invitations.email,
    render: (invitation) => (
      <Text size="sm" fw={500} className="break-word">
        {invitation.email}
      </Text>
    ),
  },
  { key: "role", header: texts.invitations.role, render: (invitation) => rolesTexts[invitation.role].label },
  {
    key: "expires",
    header: texts.invitations.validUntil,
    visibleFrom: "sm",
    render: (invitation) => <Time value={invitation.expires_at} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.invitations.actions}</VisuallyHidden>,
    align: "right",
    render: (invitation) => <WithdrawButton invitation={invitation} />,
  },
];

/** Invitations that were not accepted yet. Renders nothing without any. */
export function InvitationsCard() {
  const { data } = trpc.members.invitations.list.useQuery();
  if (!data || data.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="invitations" padding={0}>
      <Stack gap={4} p="lg">
        <Title order={2} size="h4" id="invitations">
          {texts.invitations.title}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.invitations.description}
        </Text>
      </Stack>
      <LongTable
        label={texts.invitations.title}
        columns={columns()}
        rows={data}
        rowKey={({ id }) => id}
        textOf={({ email }) => email}
        empty={null}
      />
    </Card>
  );
}

function WithdrawButton({ invitation }: { invitation: Invitation }) {
  const utils = trpc.useUtils();
  const withdraw = useChange(utils.client.members.invitations.withdraw.mutate, {
    look: async ({ id }) => {
      const open = await utils.client.members.invitations.list.query();
      return open.some((each) => each.id === id) ? undefined : { id, deleted: true };
    },
    onSuccess: () => toastDone(texts.invitations.withdrawn(invitation.email)),
    onError: toastFailed,
    onSettled: () => utils.members.invalidate(),
  });
  return (
    <Tooltip label={texts.invitations.withdraw}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={texts.invitations.withdrawOf(invitation.email)}
        loading={withdraw.isPending}
        onClick={() => withdraw.mutate({ id: invitation.id })}
      >
        <IconMailOff size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
