import { Alert, Card, Divider, Group, Stack, Text, Title } from "@mantine/core";
import { IconWallet } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Money } from "@/app/_ui/money";
import { Notice } from "@/app/_ui/notice";

type Quote = { price_per_segment: number | null; currency: string; balance: number };
type Balance = { balance: number; currency: string };

const MICROS = 1_000_000;
/** Rounded to micro-units: 3 * 0.1 is 0.30000000000000004 in floating point. */
const costOf = (price: number, segments: number) => Math.round(price * segments * MICROS) / MICROS;

/** The cost of the message beside the balance. `hint` is shown while there is no quote. */
export function CostCard({
  quote,
  segments,
  balance,
  hint,
}: {
  quote: Quote | undefined;
  segments: number;
  balance: Balance | undefined;
  hint: string;
}) {
  const price = quote?.price_per_segment ?? null;
  const cost = price === null ? null : costOf(price, segments);
  const available = quote ?? balance;
  return (
    <Card component="section" aria-label="Cost">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Cost
        </Title>
        <Line label="Price per segment">
          {quote && price !== null ? <Money amount={price} currency={quote.currency} /> : "–"}
        </Line>
        <Line label="Segments">{quote ? segments : "–"}</Line>
        <Divider />
        <Line label="Cost of this message" strong>
          {quote && cost !== null ? (
            <span data-testid="message-cost">
              <Money amount={cost} currency={quote.currency} />
            </span>
          ) : (
            "–"
          )}
        </Line>
        <Line label="Your balance">
          {available ? <Money amount={available.balance} currency={available.currency} /> : "–"}
        </Line>
        {quote && price === null && (
          <Notice>No route matches this number: the message would fail, free of charge.</Notice>
        )}
        {quote && cost !== null && cost > quote.balance && (
          <Alert color="red" variant="light" icon={<IconWallet aria-hidden />}>
            Your balance does not cover this message. Ask the operator of this installation for credit.
          </Alert>
        )}
        {!quote && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function Line({ label, children, strong = false }: { label: string; children: ReactNode; strong?: boolean }) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <Text size="sm" c={strong ? undefined : "dimmed"} fw={strong ? 600 : undefined}>
        {label}
      </Text>
      <Text size="sm" fw={strong ? 600 : 500} className="tabular" component="div">
        {children}
      </Text>
    </Group>
  );
}
