"use client";

import { ActionIcon, Anchor, Button, Card, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useRef, useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { IconFingerprint, IconPencil, IconTrash } from "@/app/_ui/icons/icons";
import { LongTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { canUsePasskeys } from "@/app/_ui/passkeys";
import { Tooltip } from "@/app/_ui/tooltip";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { Passkey, Passkeys } from "@/server/auth/passkey-schema";
import { AddPasskey } from "./add-passkey";
import { RemovePasskey } from "./remove-passkey";
import { RenamePasskey } from "./rename-passkey";

type Open = { form: "adding" } | { form: "renaming" | "removing"; passkey: Passkey };

/**
 * The passkeys of the person, which sign in without a password.
 * @param onCodesLost is called when recovery codes were lost on the way and the person asks for new ones.
 */
export function PasskeysCard({ onCodesLost }: { onCodesLost: () => void }) {
  const passkeys = trpc.auth.passkeys.list.useQuery();
  const [open, setOpen] = useState<Open | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The button that closed it is gone, and the focus with it.
  const close = () => {
    setOpen(null);
    title.current?.focus();
  };
  return (
    <Card component="section" aria-labelledby="passkeys" padding={0}>
      <Stack gap="md" p="lg">
        <Stack gap={4}>
          <Group gap="sm">
            <Title order={2} size="h4" id="passkeys" ref={title} tabIndex={-1}>
              {texts.passkeys.title}
            </Title>
            {(passkeys.data?.passkeys.length ?? 0) > 0 && (
              <StatusBadge tone="success">{texts.secondFactor.enabled}</StatusBadge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {texts.passkeys.description}
          </Text>
        </Stack>
        {open === null && <AddButton state={passkeys.data} onAdd={() => setOpen({ form: "adding" })} />}
        {open?.form === "adding" && <AddPasskey onDone={close} onCodesLost={onCodesLost} />}
        {open?.form === "renaming" && <RenamePasskey passkey={open.passkey} onDone={close} />}
        {open?.form === "removing" && <RemovePasskey passkey={open.passkey} onDone={close} />}
      </Stack>
      <QueryState query={passkeys}>
        {({ passkeys: rows }) =>
          rows.length === 0 ? null : (
            <LongTable
              label={texts.passkeys.title}
              columns={columns(setOpen)}
              rows={rows}
              rowKey={(passkey: Passkey) => passkey.id}
              textOf={(passkey: Passkey) => passkey.name}
              empty={null}
            />
          )
        }
      </QueryState>
    </Card>
  );
}

/** The way to add a passkey, or why there is none. */
function AddButton({ state, onAdd }: { state: Passkeys | undefined; onAdd: () => void }) {
  const { data } = trpc.auth.signUpState.useQuery();
  if (!data || !state) return null;
  const { passkey_origin: origin } = data;
  const reason =
    origin === null
      ? texts.passkeys.unavailable
      : origin !== window.location.origin
        ? texts.passkeys.elsewhere(
            <Anchor href={`${origin}/settings/security`} underline="always">
              {origin}
            </Anchor>,
          )
        : !canUsePasskeys(origin)
          ? texts.passkeys.unsupported
          : state.passkeys.length >= state.max && texts.passkeys.full(state.max);
  if (reason) return <Text size="sm">{reason}</Text>;
  return (
    <Group>
      <Button leftSection={<IconFingerprint size={16} aria-hidden />} onClick={onAdd}>
        {texts.passkeys.add}
      </Button>
    </Group>
  );
}

const LastUsed = ({ passkey: { last_used_at: at } }: { passkey: Passkey }) =>
  at === null ? texts.passkeys.never : <Time value={at} />;

const columns = (onOpen: (open: Open) => void): ReadonlyArray<Column<Passkey>> => [
  {
    key: "name",
    header: texts.passkeys.name,
    render: (passkey) => (
      <>
        <Group gap="xs">
          <Text size="sm" fw={500} className="break-word">
            {passkey.name}
          </Text>
          {passkey.other_host !== null && (
            <StatusBadge tone="warning">{texts.passkeys.otherHost(passkey.other_host)}</StatusBadge>
          )}
        </Group>
        {passkey.is_synced && <div className="small dimmed">{texts.passkeys.synced}</div>}
        <div className="small dimmed mantine-hidden-from-xs">
          {texts.passkeys.lastUsed}: <LastUsed passkey={passkey} />
        </div>
      </>
    ),
  },
  {
    key: "created",
    header: texts.passkeys.added,
    visibleFrom: "sm",
    render: ({ created_at: at }) => <Time value={at} />,
  },
  {
    key: "used",
    header: texts.passkeys.lastUsed,
    visibleFrom: "xs",
    render: (passkey) => <LastUsed passkey={passkey} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.sessions.actions}</VisuallyHidden>,
    align: "right",
    render: (passkey) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Tooltip label={sharedTexts.edit}>
          <ActionIcon
            variant="subtle"
            aria-label={texts.passkeys.renameOf(passkey.name)}
            onClick={() => onOpen({ form: "renaming", passkey })}
          >
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={texts.removePasskey.submit}>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={texts.passkeys.removeOf(passkey.name)}
            onClick={() => onOpen({ form: "removing", passkey })}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    ),
  },
];
