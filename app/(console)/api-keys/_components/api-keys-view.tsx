"use client";

import { Box, Button, Card, Group, Stack, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { formatCount } from "@/app/_ui/count";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { type Column, PagedTable } from "@/app/_ui/paged-table";
import { QueryState } from "@/app/_ui/query-state";
import { StatusBadge } from "@/app/_ui/status-badge";
import { Time } from "@/app/_ui/time";
import type { ApiKey } from "@/server/api-keys/schema";
import { SCOPE_DESCRIPTIONS, SCOPES } from "@/server/api-keys/scopes";
import { CreateApiKeyDialog } from "./create-api-key-dialog";
import { RevokeButton } from "./revoke-button";

/** The API keys of the account, with their permissions, limits and last use. */
export function ApiKeysView() {
  const keys = trpc.apiKeys.list.useQuery();
  const [creating, dialog] = useDisclosure(false);
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Create API key
    </Button>
  );
  // An empty list has the button in its empty state.
  const hasSome = keys.data?.data.length !== 0 && !keys.isPending;
  return (
    <>
      <PageHeader
        title="API keys"
        description="Programs use a key to call the REST API. Give each program its own, with no more permissions than it needs."
        actions={hasSome && createButton}
      />
      <QueryState query={keys}>
        {({ data }) => (
          <Card padding={0}>
            <PagedTable
              label="API keys"
              columns={columns}
              rows={data}
              rowKey={(key) => key.id}
              empty={
                <EmptyState icon={IconKey} title="No API keys yet" action={createButton}>
                  Create a key to send messages from your own programs.
                </EmptyState>
              }
            />
          </Card>
        )}
      </QueryState>
      <CreateApiKeyDialog opened={creating} onClose={dialog.close} />
    </>
  );
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  {
    key: "name",
    header: "Key",
    render: (key) => (
      <Stack gap={0}>
        <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
          {key.name}
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
    header: "Rate limit",
    visibleFrom: "lg",
    render: (key) => <span className="tabular nowrap">{formatCount(key.rate_limit)} / min</span>,
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
    render: (key) => (
      <Box display="flex" miw="max-content">
        <KeyState apiKey={key} />
      </Box>
    ),
  },
  {
    key: "actions",
    header: <VisuallyHidden>Actions</VisuallyHidden>,
    align: "right",
    render: (key) => key.is_active && <RevokeButton apiKey={key} />,
  },
];

function Scopes({ permissions }: { permissions: ApiKey["permissions"] }) {
  if (permissions.length === SCOPES.length) return <Text size="sm">All permissions</Text>;
  return (
    <Group gap={6} maw={300}>
      {permissions.map((scope) => (
        <Tooltip key={scope} label={SCOPE_DESCRIPTIONS[scope]}>
          <Text size="xs" c="dimmed" className="mono nowrap">
            {scope}
          </Text>
        </Tooltip>
      ))}
    </Group>
  );
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.is_active) return <StatusBadge tone="success">Active</StatusBadge>;
  const expired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return <StatusBadge tone={expired ? "warning" : "neutral"}>{expired ? "Expired" : "Revoked"}</StatusBadge>;
}
