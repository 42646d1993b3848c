import { Group, Text } from "@mantine/core";
import { apiKeyCellsTexts as texts } from "@/app/_texts/api-keys/cells";
import { serverNow } from "@/app/_trpc/clock";
import type { ApiKey } from "@/server/api-keys/schema";
import { SCOPE_DESCRIPTIONS, SCOPES } from "@/server/api-keys/scopes";
import { Tooltip } from "../tooltip";
import { StatusBadge } from "./status-badge";

/** Permissions, each explained in its tooltip. */
export function Scopes({ permissions }: { permissions: ApiKey["permissions"] }) {
  if (permissions.length === SCOPES.length) return <Text size="sm">{texts.allPermissions}</Text>;
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

/** Whether the key works, and if not, why. */
export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.is_active) return <StatusBadge tone="success">{texts.active}</StatusBadge>;
  const expired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= serverNow();
  return <StatusBadge tone={expired ? "warning" : "neutral"}>{expired ? texts.expired : texts.revoked}</StatusBadge>;
}
