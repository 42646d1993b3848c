import { Group, Text } from "@mantine/core";
import { apiKeyCellsTexts as texts } from "@/app/_texts/api-keys/cells";
import type { ApiKey, ApiKeyDetail } from "@/server/api-keys/schema";
import { SCOPE_DESCRIPTIONS, SCOPES } from "@/server/api-keys/scopes";
import { Tooltip } from "../tooltip";
import { endOf } from "./key-end";
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

/** Whether the key works, and if not, what ended it first. */
export function KeyState({ apiKey }: { apiKey: ApiKeyDetail }) {
  const end = endOf(apiKey);
  if (end === null) return <StatusBadge tone="success">{texts.active}</StatusBadge>;
  return <StatusBadge tone={end === "expired" ? "warning" : "neutral"}>{texts[end]}</StatusBadge>;
}
