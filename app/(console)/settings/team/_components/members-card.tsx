"use client";

import { ActionIcon, Card, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconUserMinus, IconUsers } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import { ROLES } from "@/server/members/roles";
import type { Member } from "@/server/members/schema";
import { ROLE_OPTIONS, ROLE_WORDS } from "./role-words";

const nameColumn: Column<Member> = {
  key: "name",
  header: "Name",
  render: (member) => (
    <>
      <Group gap="xs">
        <Text size="sm" fw={500} dir="auto" className="break-word">
          {member.name}
        </Text>
        {member.is_self && <StatusBadge tone="neutral">You</StatusBadge>}
      </Group>
      <Text size="xs" c="dimmed" className="break-word">
        {member.email}
      </Text>
    </>
  ),
};

const sinceColumn: Column<Member> = {
  key: "since",
  header: "Member since",
  visibleFrom: "sm",
  render: (member) => <Time value={member.created_at} />,
};

const columnsFor = (isOwner: boolean): ReadonlyArray<Column<Member>> => [
  nameColumn,
  {
    key: "role",
    header: "Role",
    render: (member) => (isOwner ? <RoleSelect member={member} /> : ROLE_WORDS[member.role].label),
  },
  sinceColumn,
  ...(isOwner
    ? [
        {
          key: "actions",
          header: <VisuallyHidden>Actions</VisuallyHidden>,
          align: "right" as const,
          render: (member: Member) => !member.is_self && <RemoveButton member={member} />,
        },
      ]
    : []),
];

/** Everybody who is a member; owners change roles and remove people here. */
export function MembersCard({ isOwner }: { isOwner: boolean }) {
  const members = trpc.members.list.useQuery();
  return (
    <Card component="section" aria-labelledby="members" padding={0}>
      <Stack gap={4} p="lg">
        <Title order={2} size="h4" id="members">
          Members
        </Title>
        {ROLES.map((role) => (
          <Text key={role} size="sm" c="dimmed">
            <Text span inherit fw={600} c="var(--mantine-color-text)">
              {ROLE_WORDS[role].label}
            </Text>
            . {ROLE_WORDS[role].may}
          </Text>
        ))}
      </Stack>
      <QueryState query={members}>
        {(rows) => (
          <PagedTable
            label="Members"
            columns={columnsFor(isOwner)}
            rows={rows}
            rowKey={(member) => member.id}
            empty={<EmptyState icon={IconUsers} title="No members" />}
          />
        )}
      </QueryState>
    </Card>
  );
}

function RoleSelect({ member }: { member: Member }) {
  const utils = trpc.useUtils();
  const change = trpc.members.changeRole.useMutation({
    onSuccess: ({ name, role }) => {
      toastDone(`${name} is now ${role === "owner" ? "an" : "a"} ${role}`);
      return member.is_self ? window.location.reload() : utils.members.invalidate();
    },
    onError: toastFailed,
  });
  return (
    <Choice
      aria-label={`Role of ${member.name}`}
      data={ROLE_OPTIONS}
      value={change.isPending ? (change.variables?.role ?? member.role) : member.role}
      disabled={change.isPending}
      onChange={(value) => {
        const role = ROLES.find((each) => each === value);
        if (role && role !== member.role) change.mutate({ id: member.id, role });
      }}
      w={{ base: 112, xs: 140 }}
      size="xs"
    />
  );
}

function RemoveButton({ member }: { member: Member }) {
  const utils = trpc.useUtils();
  const remove = trpc.members.remove.useMutation({
    onSuccess: () => {
      toastDone(`${member.name} is no longer a member`);
      return utils.members.invalidate();
    },
    onError: toastFailed,
  });
  return (
    <Tooltip label="Remove">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Remove ${member.name}`}
        loading={remove.isPending}
        onClick={() =>
          confirmAction({
            title: `Remove ${member.name}?`,
            children:
              "They lose access at once. API keys they created keep working: revoke any that they may have kept.",
            confirmLabel: "Remove member",
            onConfirm: () => remove.mutate({ id: member.id }),
          })
        }
      >
        <IconUserMinus size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
