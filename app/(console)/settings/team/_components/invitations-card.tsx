"use client";

import { ActionIcon, Card, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { IconMailOff } from "@/app/_ui/icons/icons";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { Time } from "@/app/_ui/values/time";
import type { Invitation } from "@/server/members/schema";
import { ROLE_WORDS } from "./role-words";

const columns: ReadonlyArray<Column<Invitation>> = [
  {
    key: "email",
    header: "Email",
    render: (invitation) => (
      <Text size="sm" fw={500} className="break-word">
        {invitation.email}
      </Text>
    ),
  },
  { key: "role", header: "Role", render: (invitation) => ROLE_WORDS[invitation.role].label },
  {
    key: "expires",
    header: "Valid until",
    visibleFrom: "sm",
    render: (invitation) => <Time value={invitation.expires_at} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    align: "right",
    render: (invitation) => <WithdrawButton invitation={invitation} />,
  },
];

/** Invitations that were not accepted yet. Without any there is nothing to show. */
export function InvitationsCard() {
  const { data } = trpc.members.invitations.list.useQuery();
  if (!data || data.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="invitations" padding={0}>
      <Stack gap={4} p="lg">
        <Title order={2} size="h4" id="invitations">
          Open invitations
        </Title>
        <Text size="sm" c="dimmed">
          A link works once and for seven days. Invite the same address again to replace it.
        </Text>
      </Stack>
      <PagedTable label="Open invitations" columns={columns} rows={data} rowKey={({ id }) => id} empty={null} />
    </Card>
  );
}

function WithdrawButton({ invitation }: { invitation: Invitation }) {
  const utils = trpc.useUtils();
  const withdraw = trpc.members.invitations.withdraw.useMutation({
    onSuccess: () => {
      toastDone(`The invitation of ${invitation.email} is withdrawn`);
      return utils.members.invalidate();
    },
    onError: toastFailed,
  });
  return (
    <Tooltip label="Withdraw">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Withdraw the invitation of ${invitation.email}`}
        loading={withdraw.isPending}
        onClick={() => withdraw.mutate({ id: invitation.id })}
      >
        <IconMailOff size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
