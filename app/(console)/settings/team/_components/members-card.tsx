"use client";

import { ActionIcon, Card, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { rolesTexts } from "@/app/_texts/settings/roles";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { Choice } from "@/app/_ui/forms/choice";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconUserMinus, IconUsers } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { LongTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import { ROLES } from "@/server/members/roles";
import type { Member } from "@/server/members/schema";
import { roleOptions } from "./role-options";

const nameColumn = (): Column<Member> => ({
  key: "name",
  header: texts.members.name,
  render: (member) => (
    <>
      <Group gap="xs">
        <Text size="sm" fw={500} dir="auto" className="break-word">
          {member.name}
        </Text>
        {member.is_self && <StatusBadge tone="neutral">{texts.members.you}</StatusBadge>}
      </Group>
      <Text size="xs" c="dimmed" className="break-word">
        {member.email}
      </Text>
    </>
  ),
});

const sinceColumn = (): Column<Member> => ({
  key: "since",
  header: texts.members.since,
  visibleFrom: "sm",
  render: (member) => <Time value={member.created_at} />,
});

const columnsFor = (isOwner: boolean): ReadonlyArray<Column<Member>> => [
  nameColumn(),
  {
    key: "role",
    header: texts.members.role,
    render: (member) => (isOwner ? <RoleSelect member={member} /> : rolesTexts[member.role].label),
  },
  sinceColumn(),
  ...(isOwner
    ? [
        {
          key: "actions",
          header: <VisuallyHidden>{texts.members.actions}</VisuallyHidden>,
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
          {texts.members.title}
        </Title>
        {ROLES.map((role) => (
          <Text key={role} size="sm" c="dimmed">
            {texts.members.roleAndRights(
              <Text span inherit fw={600} c="var(--mantine-color-text)">
                {rolesTexts[role].label}
              </Text>,
              rolesTexts[role].may,
            )}
          </Text>
        ))}
      </Stack>
      <QueryState query={members}>
        {(rows) => (
          <LongTable
            label={texts.members.title}
            columns={columnsFor(isOwner)}
            rows={rows}
            rowKey={(member) => member.id}
            textOf={({ name, email }) => `${name} ${email}`}
            empty={<EmptyState icon={IconUsers} title={texts.members.none} />}
          />
        )}
      </QueryState>
    </Card>
  );
}

function RoleSelect({ member }: { member: Member }) {
  const utils = trpc.useUtils();
  const change = useChange(utils.client.members.changeRole.mutate, {
    look: async (asked) =>
      ifHolds(
        (await utils.client.members.list.query()).find(({ id }) => id === asked.id),
        asked,
      ),
    onSuccess: ({ name, role }) => {
      toastDone(texts.members.roleChanged[role](name));
      if (member.is_self) window.location.reload();
    },
    onError: toastFailed,
    onSettled: () => utils.members.invalidate(),
  });
  return (
    <Choice
      aria-label={texts.members.roleOf(member.name)}
      data={roleOptions()}
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
  const remove = useChange(utils.client.members.remove.mutate, {
    look: async ({ id }) => {
      const members = await utils.client.members.list.query();
      return members.some((each) => each.id === id) ? undefined : { id, deleted: true };
    },
    onSuccess: () => toastDone(texts.remove.done(member.name)),
    onError: toastFailed,
    onSettled: () => utils.members.invalidate(),
  });
  return (
    <Tooltip label={texts.remove.action}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={texts.remove.actionOf(member.name)}
        loading={remove.isPending}
        onClick={() =>
          confirmAction({
            title: texts.remove.question(member.name),
            children: texts.remove.consequence,
            confirmLabel: texts.remove.confirm,
            onConfirm: () => remove.mutate({ id: member.id }),
          })
        }
      >
        <IconUserMinus size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
