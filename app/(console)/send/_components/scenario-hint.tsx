import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconFlask } from "@/app/_ui/icons/icons";
import { CopyButton } from "@/app/_ui/values/copy-button";

const SCENARIOS: ReadonlyArray<readonly [number: string, outcome: string]> = [
  ["+15550100001", "Delivered at once"],
  ["+15550100002", "Delivered after 5 s"],
  ["+15550100003", "Refused permanently"],
  ["+15550100004", "The provider responds 503: falls back to the next one, then fails"],
  ["+15550100005", "The provider does not respond: timeout"],
  ["+15550100006", "The receipt arrives before the provider’s response"],
  ["+15550100007", "Receipts arrive twice and out of order"],
  ["+15550100008", "No receipt arrives"],
  ["+15550100009", "Sent, then undelivered: the handset cannot be reached"],
  ["Any other number", "Delivered after about 1 s"],
];

/** The recipients that make the sandbox provider simulate each outcome. */
export function ScenarioHint() {
  return (
    <Card component="section" aria-label="Scenario numbers" padding={0}>
      <Stack gap={4} p="lg" pb="sm">
        <Group gap="xs">
          <IconFlask size={18} aria-hidden />
          <Title order={2} size="h4">
            Scenario numbers
          </Title>
        </Group>
        <Text size="sm" c="dimmed">
          The sandbox provider sends nothing. Use these recipients to simulate an outcome:
        </Text>
      </Stack>
      <Stack component="ul" gap={6} px="lg" pb="lg" className="scenarios">
        {SCENARIOS.map(([number, outcome]) => (
          <li key={number}>
            <Group gap={2} wrap="nowrap" w={152}>
              <span className="tabular nowrap">{number}</span>
              {number.startsWith("+") && <CopyButton value={number} label={`Copy ${number}`} />}
            </Group>
            <span className="dimmed">{outcome}</span>
          </li>
        ))}
      </Stack>
    </Card>
  );
}
