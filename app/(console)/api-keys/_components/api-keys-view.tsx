"use client";

import { ActionIcon, Button, Card, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useMayChange } from "@/app/_shell/may-change";
import { apiKeysTexts as texts } from "@/app/_texts/api-keys/list";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { useTestMode } from "@/app/_trpc/test-mode";
import { useCreateDialog } from "@/app/_ui/forms/use-create-dialog";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconKey, IconPencil, IconPlus } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { LongListTable } from "@/app/_ui/lists/long-table";
import type { Column } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { Tooltip } from "@/app/_ui/tooltip";
import { KeyState, Scopes } from "@/app/_ui/values/key-cells";
import { Time } from "@/app/_ui/values/time";
import type { ApiKeyDetail } from "@/server/api-keys/schema";
import { CreateApiKeyDialog } from "./create-api-key-dialog";
import { EditApiKeyDialog } from "./edit-api-key-dialog";
import { Limits } from "./key-limits";
import { RevokeButton } from "./revoke-button";

/** The API keys of the account, with their permissions, limits and last use. */
export function ApiKeysView() {
  const router = useRouter();
  const keys = trpc.apiKeys.details.useQuery();
  const isTestMode = useTestMode();
  const mayChange = useMayChange();
  const [creating, dialog] = useCreateDialog();
  const [edited, setEdited] = useState<ApiKeyDetail | null>(null);
  const createButton = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      {isTestMode ? texts.createTestKey : texts.createKey}
    </Button>
  );
  // An empty list has the button in its empty state.
  const hasSome = keys.data?.data.length !== 0 && !keys.isPending;
  return (
    <>
      <PageHeader
        title={texts.title}
        description={isTestMode ? texts.testDescription : texts.description}
        actions={hasSome && createButton}
      />
      <QueryState query={keys}>
        {({ data }) => (
          <Card padding={0}>
            <LongListTable
              label={texts.title}
              columns={columnsOf(setEdited, mayChange)}
              rows={data}
              rowKey={(key) => key.id}
              textOf={({ name, key_hint, id }) => `${name} ${key_hint} ${id}`}
              onRowClick={(key) => router.push(`/api-keys/${key.id}`)}
              empty={
                <EmptyState
                  icon={IconKey}
                  title={isTestMode ? texts.noTestKeysYet : texts.noKeysYet}
                  action={createButton}
                >
                  {texts.whyCreate}
                </EmptyState>
              }
            />
          </Card>
        )}
      </QueryState>
      <CreateApiKeyDialog opened={creating} onClose={dialog.close} />
      <EditApiKeyDialog apiKey={edited} onClose={() => setEdited(null)} />
    </>
  );
}

const columnsOf = (onEdit: (apiKey: ApiKeyDetail) => void, mayChange: boolean): ReadonlyArray<Column<ApiKeyDetail>> => [
  {
    key: "name",
    header: texts.columns.key,
    render: (key) => (
      <Stack gap={0}>
        <Text size="sm" maw={260} className="break-word" dir="auto" component="div">
          <RowLink href={`/api-keys/${key.id}`} wraps>
            {key.name}
          </RowLink>
        </Text>
        <Text size="xs" c="dimmed" className="mono break-word">
          {key.key_hint}
        </Text>
      </Stack>
    ),
  },
  {
    key: "scopes",
    header: texts.columns.permissions,
    visibleFrom: "lg",
    render: (key) => <Scopes permissions={key.permissions} />,
  },
  {
    key: "limit",
    header: texts.columns.limits,
    visibleFrom: "sm",
    render: (key) => <Limits apiKey={key} />,
  },
  {
    key: "used",
    header: texts.columns.lastUsed,
    visibleFrom: "sm",
    render: (key) => <Time value={key.last_used_at} fallback={texts.never} />,
  },
  {
    key: "expires",
    header: texts.columns.expires,
    visibleFrom: "lg",
    render: (key) => <Time value={key.expires_at} fallback={texts.never} />,
  },
  {
    key: "state",
    header: texts.columns.state,
    render: (key) => <KeyState apiKey={key} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>{texts.columns.actions}</VisuallyHidden>,
    align: "right",
    render: (key) =>
      mayChange &&
      key.is_active && (
        <Group gap={4} justify="flex-end">
          <Tooltip label={sharedTexts.edit}>
            <ActionIcon variant="subtle" color="gray" aria-label={texts.edit(key.name)} onClick={() => onEdit(key)}>
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
          <RevokeButton apiKey={key} />
        </Group>
      ),
  },
];
