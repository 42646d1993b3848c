"use client";

import { Alert, Text } from "@mantine/core";
import { providerTexts } from "@/app/_texts/operator/provider";
import type { ProviderTest } from "@/server/providers/operator-schema";
import { formatLatency } from "../provider-words";

const OUTCOME_COLORS: Record<ProviderTest["outcome"], string> = {
  accepted: "teal",
  refused: "red",
  retryable: "red",
  unknown: "yellow",
};

/** The provider's response to a test message, with its ids. */
export function TestOutcome({ test }: { test: ProviderTest }) {
  const texts = providerTexts.test;
  return (
    <Alert
      color={OUTCOME_COLORS[test.outcome]}
      variant="light"
      role="status"
      title={texts.outcomes[test.outcome](formatLatency(test.latency_ms))}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {test.code && (
        <Text size="sm" className="break-word">
          <span className="mono">{test.code}</span>: {test.detail}
        </Text>
      )}
      {test.provider_message_ids.length > 0 && (
        <Text size="sm" className="break-word">
          {texts.providerMessageId(<span className="mono">{test.provider_message_ids.join(", ")}</span>)}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4} className="break-word">
        {texts.reference(<span className="mono">{test.reference}</span>)}
      </Text>
    </Alert>
  );
}
