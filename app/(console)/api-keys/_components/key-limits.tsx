import { Stack, Text } from "@mantine/core";
import { apiKeysTexts as texts } from "@/app/_texts/api-keys/list";
import { formatCount } from "@/app/_ui/values/count";
import type { ApiKeyDetail } from "@/server/api-keys/schema";

/** Limits and allowed addresses of the key. */
export function Limits({ apiKey }: { apiKey: ApiKeyDetail }) {
  const lines = [
    texts.limits.requestsPerMinute(apiKey.rate_limit, formatCount(apiKey.rate_limit)),
    typeof apiKey.daily_limit === "number" &&
      texts.limits.messagesPerDay(apiKey.daily_limit, formatCount(apiKey.daily_limit)),
    typeof apiKey.monthly_limit === "number" &&
      texts.limits.messagesPerMonth(apiKey.monthly_limit, formatCount(apiKey.monthly_limit)),
    apiKey.allowed_ips && texts.limits.onlyFrom(apiKey.allowed_ips.join(", ")),
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
