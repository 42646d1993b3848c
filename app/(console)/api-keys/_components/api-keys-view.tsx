"use client";

import { ActionIcon, Button, Card, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { useTestMode } from "@/app/_trpc/test-mode";
import { useCreateDialog } from "@/app/_ui/forms/use-create-dialog";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconKey, IconPencil, IconPlus } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { Tooltip } from "@/app/_ui/tooltip";
import { Time } from "@/app/_ui/values/time";
import type { ApiKey } from "@/server/api-keys/schema";
import { CreateApiKeyDialog } from "./create-api-key-dialog";
import { EditApiKeyDialog } from "./edit-api-key-dialog";
import { KeyState, Limits, Scopes } from "./key-cells";
import { RevokeButton } from "./revoke-button";

/** The API keys of the account, with their permissions, limits and last use. */
export function ApiKeysView() {
  const router = useRouter();
  const keys = trpc.apiKeys.list.useQuery();
  const isTestMode = useTestMode();
  const [creating, dialog] = useCreateDialog();
  const [edited, setEdited] = useState<ApiKey | null>(null);
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      {isTestMode ? "Create test key" : "Create API key"}
    </Button>
  );
  // An empty list has the button in its empty state.
  const hasSome = keys.data?.data.length !== 0 && !keys.isPending;
  return (
    <>
      <PageHeader
        title="API keys"
        description={
          isTestMode
            ? "Test keys call the same REST API as live ones, but nothing is sent or billed. Live keys are listed in live mode."
            : "Programs use a key to call the REST API. Give each program its own, with no more permissions than it needs."
        }
        actions={hasSome && createButton}
      />
      <QueryState query={keys}>
        {({ data }) => (
          <Card padding={0}>
            <PagedTable
              label="API keys"
              columns={columnsOf(setEdited)}
              rows={data}
              rowKey={(key) => key.id}
              onRowClick={(key) => router.push(`/api-keys/${key.id}`)}
              empty={
                <EmptyState
                  icon={IconKey}
                  title={isTestMode ? "No test keys yet" : "No API keys yet"}
                  action={createButton}
                >
                  Create a key to send messages from your own programs.
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

const columnsOf = (onEdit: (apiKey: ApiKey) => void): ReadonlyArray<Column<ApiKey>> => [
  {
    key: "name",
    header: "Key",
    render: (key) => (
      <Stack gap={0}>
        <Text size="sm" maw={260} className="break-word" dir="auto" component="div">
          <RowLink href={`/api-keys/${key.id}`} wraps>
            {key.name}
          </RowLink>
        </Text>
        <Text size="xs" c="dimmed" className="mono nowrap">
          {key.key_hint}
        </Text>
      </Stack>
    ),
  },
  {
    key: "scopes",
    header: "Permissions",
    visibleFrom: "md",
    render: (key) => <Scopes permissions={key.permissions} />,
  },
  {
    key: "limit",
    header: "Limits",
    visibleFrom: "sm",
    render: (key) => <Limits apiKey={key} />,
  },
  {
    key: "used",
    header: "Last used",
    visibleFrom: "sm",
    render: (key) => <Time value={key.last_used_at} fallback="Never" />,
  },
  {
    key: "expires",
    header: "Expires",
    visibleFrom: "lg",
    render: (key) => <Time value={key.expires_at} fallback="Never" />,
  },
  {
    key: "state",
    header: "State",
    render: (key) => <KeyState apiKey={key} />,
  },
  {
    key: "actions",
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    align: "right",
    render: (key) =>
      key.is_active && (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label="Edit">
            <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${key.name}`} onClick={() => onEdit(key)}>
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
          <RevokeButton apiKey={key} />
        </Group>
      ),
  },
];
