import { Card, Divider, Group, Stack, Text, Title } from "@mantine/core";
import type { inferRouterOutputs } from "@trpc/server";
import type { ReactNode } from "react";
import { sendTexts } from "@/app/_texts/send/one";
import { Money, sumOfMoney } from "@/app/_ui/values/money";
import type { AppRouter } from "@/server/api/router";

export type Quote = inferRouterOutputs<AppRouter>["messages"]["quote"];
type Balance = { balance: number; currency: string };

/** The cost of the message, and the balance before and after it. `hint` is shown while there is no quote. */
export function CostCard({
  quote,
  balance,
  hint,
}: {
  quote: Quote | undefined;
  balance: Balance | undefined;
  hint: string;
}) {
  const texts = sendTexts.cost;
  const price = quote?.recipients[0]?.price_per_segment ?? null;
  const available = quote ?? balance;
  return (
    <Card component="section" aria-label={texts.title}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {texts.title}
        </Title>
        <Line label={texts.perSegment}>
          {quote && price !== null ? <Money amount={price} currency={quote.currency} /> : "–"}
        </Line>
        <Line label={texts.segments}>{quote ? quote.segments : "–"}</Line>
        <Divider />
        <Line label={texts.ofMessage} strong>
          {quote ? (
            <span data-testid="message-cost">
              <Money amount={quote.cost} currency={quote.currency} />
            </span>
          ) : (
            "–"
          )}
        </Line>
        <Line label={texts.balance}>
          {available ? <Money amount={available.balance} currency={available.currency} /> : "–"}
        </Line>
        {quote?.sufficient && quote.cost > 0 && (
          <Line label={texts.balanceAfter}>
            <Money amount={sumOfMoney([quote.balance, -quote.cost])} currency={quote.currency} />
          </Line>
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
