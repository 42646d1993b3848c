"use client";

import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { sendManyTexts } from "@/app/_texts/send/many";
import { IconCircleX, IconSend } from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney, sumOfMoney } from "@/app/_ui/values/money";
import { type LineProblem, ProblemLines } from "../../../_numbers/problem-lines";
import type { Check } from "./use-check";

/** The result of the check: what will be sent and what it costs, which lines are left out, and the button to send. */
export function CheckCard({ check, problems, onSend }: { check: Check; problems: LineProblem[]; onSend: () => void }) {
  const texts = sendManyTexts.check;
  const count = check.rows.length;
  const isCovered = check.cost <= check.balance;
  const [refusal] = check.refusals;
  return (
    <Card component="section" aria-labelledby="check" padding={0}>
      <Stack gap="md" p="lg">
        <Title order={2} size="h4" id="check">
          {texts.title}
        </Title>
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Figure label={texts.messages} value={formatCount(count)} />
          <Figure label={texts.segments} value={formatCount(check.segments)} />
          <Figure label={texts.cost} value={formatMoney(check.cost, check.currency)} />
          <Figure
            label={texts.balanceAfter}
            value={isCovered ? formatMoney(sumOfMoney([check.balance, -check.cost]), check.currency) : texts.notCovered}
          />
        </SimpleGrid>
        {!isCovered && (
          <Alert color="red" variant="light" icon={<IconCircleX aria-hidden />} title={texts.notCoveredTitle}>
            {texts.balance(formatMoney(check.balance, check.currency))}
          </Alert>
        )}
        {refusal && (
          <Alert color="red" variant="light" icon={<IconCircleX aria-hidden />} title={texts.refused}>
            {refusal.message}
          </Alert>
        )}
        <Group>
          <Button
            leftSection={<IconSend size={16} aria-hidden />}
            disabled={count === 0 || !isCovered || refusal !== undefined}
            onClick={onSend}
          >
            {texts.send(count, formatCount(count))}
          </Button>
          {problems.length > 0 && (
            <Text size="sm" c="dimmed">
              {texts.leftOut(problems.length, formatCount(problems.length))}
            </Text>
          )}
        </Group>
      </Stack>
      {problems.length > 0 && <ProblemLines problems={problems} />}
    </Card>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={650} fz="lg" className="tabular">
        {value}
      </Text>
    </div>
  );
}
