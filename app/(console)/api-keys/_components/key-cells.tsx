import { Group, Stack, Text } from "@mantine/core";
import { apiKeyCellsTexts as texts } from "@/app/_texts/api-keys/cells";
import { Tooltip } from "@/app/_ui/tooltip";
import { formatCount } from "@/app/_ui/values/count";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { ApiKey } from "@/server/api-keys/schema";
import { SCOPE_DESCRIPTIONS, SCOPES } from "@/server/api-keys/scopes";

/** Limits and allowed addresses of the key. */
export function Limits({ apiKey }: { apiKey: ApiKey }) {
  const lines = [
    texts.requestsPerMinute(formatCount(apiKey.rate_limit)),
    apiKey.daily_limit !== null && texts.messagesPerDay(formatCount(apiKey.daily_limit)),
    apiKey.monthly_limit !== null && texts.messagesPerMonth(formatCount(apiKey.monthly_limit)),
    apiKey.allowed_ips && texts.onlyFrom(apiKey.allowed_ips.join(", ")),
  ].filter((line) => typeof line === "string");
  return (
    <Stack gap={0} miw={170} maw={240}>
      {lines.map((line) => (
        <Text key={line} size="xs" c="dimmed" className="tabular break-word" lineClamp={3}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}

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
  const expired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= Date.now();
  return <StatusBadge tone={expired ? "warning" : "neutral"}>{expired ? texts.expired : texts.revoked}</StatusBadge>;
}
