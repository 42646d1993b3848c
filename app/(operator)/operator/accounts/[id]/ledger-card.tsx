"use client";

import { Button, Card, Center, Text, Title } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { Time } from "@/app/_ui/values/time";
import type { LedgerEntry, OperatedAccountDetail } from "@/server/operator/account-schema";

const PER_PAGE = 10;

const KINDS: Record<LedgerEntry["kind"], string> = {
  credit: "Credit",
  reserve: "Reserved",
  settle: "Charged",
  refund: "Refunded",
};

/** Why an entry was made: the note of a credit, else how many messages it is about. */
const reasonOf = ({ note, messages, message_id: id }: LedgerEntry): string =>
  note ?? id ?? (messages === 0 ? "" : `${formatCount(messages)} messages`);

/** A change of money with its sign; none as a dash. */
function Change({ amount, currency }: { amount: number; currency: string }) {
  if (amount === 0) return <span className="dimmed">–</span>;
  return (
    <span className="tabular nowrap">
      {amount > 0 ? "+" : "−"}
      {formatMoney(Math.abs(amount), currency)}
    </span>
  );
}

const columnsOf = (currency: string): ReadonlyArray<Column<LedgerEntry>> => [
  {
    key: "entry",
    header: "Entry",
    isWide: true,
    render: (entry) => (
      <>
        {KINDS[entry.kind]}
        <div
          className={`small dimmed clip ${entry.note === null && entry.message_id !== null ? "mono" : ""}`}
          dir="auto"
        >
          {reasonOf(entry)}
        </div>
      </>
    ),
  },
  {
    key: "balance",
    header: "Balance",
    align: "right",
    render: ({ amount }) => <Change amount={amount} currency={currency} />,
  },
  {
    key: "held",
    header: "Reserved",
    align: "right",
    visibleFrom: "xs",
    render: ({ held }) => <Change amount={held} currency={currency} />,
  },
  { key: "when", header: "When", align: "right", visibleFrom: "xs", render: (row) => <Time value={row.created_at} /> },
];

/** Changes of the account's balance and of its reserved money, newest first. */
export function LedgerCard({ account: { id, currency } }: { account: OperatedAccountDetail }) {
  const ledger = trpc.operator.ledger.useInfiniteQuery(
    { account_id: id, limit: PER_PAGE },
    { getNextPageParam: ({ next }) => next },
  );
  return (
    <Card component="section" aria-labelledby="ledger" padding={0} h="100%">
      <Title order={2} size="h4" p="lg" pb="md" id="ledger">
        Ledger
      </Title>
      <QueryState query={ledger}>
        {({ pages }) => (
          <div>
            <PagedTable
              label="Ledger"
              columns={columnsOf(currency)}
              rows={pages.flatMap(({ items }) => items)}
              rowKey={(entry) => entry.id}
              empty={
                <Text size="sm" c="dimmed" px="lg" pb="lg">
                  No money has moved yet.
                </Text>
              }
            />
            {ledger.hasNextPage && (
              <Center p="md" className="table-foot">
                <Button
                  variant="default"
                  loading={ledger.isFetchingNextPage}
                  onClick={() => void ledger.fetchNextPage()}
                >
                  Show older entries
                </Button>
              </Center>
            )}
          </div>
        )}
      </QueryState>
    </Card>
  );
}
