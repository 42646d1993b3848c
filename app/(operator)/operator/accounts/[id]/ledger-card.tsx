"use client";

import { Button, Card, Center, Text, Title } from "@mantine/core";
import { accountTexts } from "@/app/_texts/operator/account";
import { trpc } from "@/app/_trpc/client";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { Time } from "@/app/_ui/values/time";
import type { LedgerEntry, OperatedAccountDetail } from "@/server/operator/account-schema";

const PER_PAGE = 10;

/** Why an entry was made: the note of a credit, else how many messages it is about. */
const reasonOf = ({ note, messages, message_id: id }: LedgerEntry): string =>
  note ?? id ?? (messages === 0 ? "" : accountTexts.ledger.messages(messages, formatCount(messages)));

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

const columnsOf = (currency: string, texts: typeof accountTexts.ledger): ReadonlyArray<Column<LedgerEntry>> => [
  {
    key: "entry",
    header: texts.entry,
    isWide: true,
    render: (entry) => (
      <>
        {texts.kinds[entry.kind]}
        {/* A note has no other place where it could be read in full. */}
        <div
          className={`small dimmed break-word ${entry.note === null && entry.message_id !== null ? "mono" : ""}`}
          style={{ whiteSpace: "normal" }}
          dir="auto"
        >
          {reasonOf(entry)}
        </div>
        <div className="small dimmed mantine-hidden-from-xs">
          <Time value={entry.created_at} />
        </div>
      </>
    ),
  },
  {
    key: "balance",
    header: texts.balance,
    align: "right",
    render: ({ amount }) => <Change amount={amount} currency={currency} />,
  },
  {
    key: "held",
    header: texts.reserved,
    align: "right",
    visibleFrom: "xs",
    render: ({ held }) => <Change amount={held} currency={currency} />,
  },
  {
    key: "when",
    header: texts.when,
    align: "right",
    visibleFrom: "xs",
    render: (row) => <Time value={row.created_at} />,
  },
];

/** Changes of the account's balance and of its reserved money, newest first. */
export function LedgerCard({ account: { id, currency } }: { account: OperatedAccountDetail }) {
  const texts = accountTexts.ledger;
  const ledger = trpc.operator.ledger.useInfiniteQuery(
    { account_id: id, limit: PER_PAGE },
    { getNextPageParam: ({ next }) => next },
  );
  return (
    <Card component="section" aria-labelledby="ledger" padding={0} h="100%">
      <Title order={2} size="h4" p="lg" pb="md" id="ledger">
        {texts.title}
      </Title>
      <QueryState query={ledger}>
        {({ pages }) => (
          <div>
            <PagedTable
              label={texts.title}
              columns={columnsOf(currency, texts)}
              rows={pages.flatMap(({ items }) => items)}
              rowKey={(entry) => entry.id}
              empty={
                <Text size="sm" c="dimmed" px="lg" pb="lg">
                  {texts.none}
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
                  {texts.showOlder}
                </Button>
              </Center>
            )}
          </div>
        )}
      </QueryState>
    </Card>
  );
}
