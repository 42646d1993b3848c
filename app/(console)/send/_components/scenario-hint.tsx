import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { sendTexts } from "@/app/_texts/send/one";
import { IconFlask } from "@/app/_ui/icons/icons";
import { CopyButton } from "@/app/_ui/values/copy-button";

type Scenario = readonly [number: string, outcome: string];

const scenariosOf = (texts: typeof sendTexts.scenarios): readonly Scenario[] => [
  ["+15550100001", texts.delivered],
  ["+15550100002", texts.deliveredLate],
  ["+15550100003", texts.refused],
  ["+15550100004", texts.unavailable],
  ["+15550100005", texts.timeout],
  ["+15550100006", texts.receiptFirst],
  ["+15550100007", texts.receiptsTwice],
  ["+15550100008", texts.noReceipt],
  ["+15550100009", texts.undelivered],
  [texts.anyOther, texts.deliveredSoon],
];

/** The recipients that make the sandbox provider simulate each outcome. */
export function ScenarioHint() {
  const texts = sendTexts.scenarios;
  return (
    <Card component="section" aria-label={texts.title} padding={0}>
      <Stack gap={4} p="lg" pb="sm">
        <Group gap="xs">
          <IconFlask size={18} aria-hidden />
          <Title order={2} size="h4">
            {texts.title}
          </Title>
        </Group>
        <Text size="sm" c="dimmed">
          {texts.explanation}
        </Text>
      </Stack>
      <Stack component="ul" gap={6} px="lg" pb="lg" className="scenarios">
        {scenariosOf(texts).map(([number, outcome]) => (
          <li key={number}>
            <Group gap={2} wrap="nowrap" w={152}>
              <span className="tabular nowrap">{number}</span>
              {number.startsWith("+") && <CopyButton value={number} label={texts.copy(number)} />}
            </Group>
            <span className="dimmed">{outcome}</span>
          </li>
        ))}
      </Stack>
    </Card>
  );
}
