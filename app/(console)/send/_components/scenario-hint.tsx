import { Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { CopyButton } from "@/app/_ui/copy-button";

const SCENARIOS: ReadonlyArray<readonly [number: string, happens: string]> = [
  ["+15550100001", "Delivered at once"],
  ["+15550100002", "Delivered after 5 s"],
  ["+15550100003", "Refused for good"],
  ["+15550100004", "The provider answers 503: falls over to the next, then fails"],
  ["+15550100005", "The provider never answers: time-out"],
  ["+15550100006", "The receipt comes before the provider’s answer"],
  ["+15550100007", "Receipts come twice and out of order"],
  ["+15550100008", "A receipt never comes"],
  ["+15550100009", "Taken, then undelivered: the handset cannot be reached"],
  ["Any other number", "Delivered after about 1 s"],
];

/** The numbers with which the built-in carrier plays each turn a message can take. */
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
          The sandbox carrier sends nothing. These recipients make it behave like this:
        </Text>
      </Stack>
      <Table aria-label="Scenario numbers" verticalSpacing={4} fz="sm" withRowBorders={false} mb="sm">
        <Table.Tbody>
          {SCENARIOS.map(([number, happens]) => (
            <Table.Tr key={number}>
              <Table.Td className="nowrap" w={1}>
                <Group gap={2} wrap="nowrap">
                  <span className="tabular">{number}</span>
                  {number.startsWith("+") && <CopyButton value={number} label={`Copy ${number}`} />}
                </Group>
              </Table.Td>
              <Table.Td c="dimmed">{happens}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
