"use client";

import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconCircleX, IconSend } from "@/app/_ui/icons/icons";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { type LineProblem, ProblemLines } from "../../../_numbers/problem-lines";
import type { Check } from "./use-check";

/** The result of the check: what will be sent and what it costs, which lines are left out, and the button to send. */
export function CheckCard({ check, problems, onSend }: { check: Check; problems: LineProblem[]; onSend: () => void }) {
  const count = check.rows.length;
  const isCovered = check.cost <= check.balance;
  const [refusal] = check.refusals;
  return (
    <Card component="section" aria-labelledby="check" padding={0}>
      <Stack gap="md" p="lg">
        <Title order={2} size="h4" id="check">
          Ready to send
        </Title>
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Figure label="Messages" value={formatCount(count)} />
          <Figure label="Segments" value={formatCount(check.segments)} />
          <Figure label="Cost" value={formatMoney(check.cost, check.currency)} />
          <Figure
            label="Balance after"
            value={isCovered ? formatMoney(check.balance - check.cost, check.currency) : "Not covered"}
          />
        </SimpleGrid>
        {!isCovered && (
          <Alert
            color="red"
            variant="light"
            icon={<IconCircleX aria-hidden />}
            title="Your balance does not cover this"
          >
            It is {formatMoney(check.balance, check.currency)}.
          </Alert>
        )}
        {refusal && (
          <Alert color="red" variant="light" icon={<IconCircleX aria-hidden />} title="This would be refused">
            {refusal.message}
          </Alert>
        )}
        <Group>
          <Button
            leftSection={<IconSend size={16} aria-hidden />}
            disabled={count === 0 || !isCovered || refusal !== undefined}
            onClick={onSend}
          >
            {`Send ${formatCount(count)} ${count === 1 ? "message" : "messages"}`}
          </Button>
          {problems.length > 0 && (
            <Text size="sm" c="dimmed">
              {`${formatCount(problems.length)} ${problems.length === 1 ? "line is" : "lines are"} left out.`}
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
