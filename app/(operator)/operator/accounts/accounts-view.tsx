"use client";

import { Box, Button, Card, Group, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { accountWordsTexts as words } from "@/app/_texts/operator/account-words";
import { accountsTexts as texts } from "@/app/_texts/operator/accounts";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconBuilding, IconPlus } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { Money } from "@/app/_ui/values/money";
import { Time } from "@/app/_ui/values/time";
import type { ListedAccount, OperatedAccount } from "@/server/operator/schema";
import { limitsOf } from "./account-limits";
import { AccountMenu } from "./account-menu";
import { AccountStatus, contactOf } from "./account-status";
import { CreditDialog } from "./credit-dialog";
import { LimitsDialog } from "./limits-dialog";
import { NewAccountDialog } from "./new-account-dialog";

const PER_PAGE = 25;
const SEARCH_MAX = 100;

export function AccountsView({ countries }: { countries: readonly string[] }) {
  const router = useRouter();
  const { params, page, change, setPage } = useUrlState();
  const search = params.get("search") ?? "";
  const [credited, setCredited] = useState<OperatedAccount | null>(null);
  const [limited, setLimited] = useState<OperatedAccount | null>(null);
  const [isCreating, creation] = useDisclosure(false);
  const list = trpc.operator.accounts.useQuery(
    { search: search || undefined, page, limit: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  // A dialog that is open follows what is stored.
  const latest = (chosen: OperatedAccount | null) =>
    list.data?.items.find((account) => account.id === chosen?.id) ?? chosen;
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button leftSection={<IconPlus size={16} />} onClick={creation.open}>
            {texts.newAccount}
          </Button>
        }
      />
      <Card padding={0}>
        <div className="card-bar">
          <TextFilter
            aria-label={texts.searchAccounts}
            placeholder={texts.searchBy}
            maw={380}
            maxLength={SEARCH_MAX}
            value={search}
            onChange={(text) => change({ search: text }, "replace")}
          />
        </div>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <PagedTable
              label={texts.title}
              columns={columns({ onCredit: setCredited, onLimit: setLimited })}
              rows={items}
              rowKey={({ id }) => id}
              pagination={pagination}
              onPage={setPage}
              onRowClick={({ id }) => router.push(`/operator/accounts/${id}`)}
              busy={list.isPlaceholderData}
              empty={
                <EmptyState icon={IconBuilding} title={texts.noAccountsFound}>
                  {search && texts.nothingMatches(search)}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
      <NewAccountDialog opened={isCreating} onClose={creation.close} />
      <CreditDialog account={latest(credited)} onClose={() => setCredited(null)} />
      <LimitsDialog account={latest(limited)} countries={countries} onClose={() => setLimited(null)} />
    </>
  );
}

type Actions = { onCredit: (account: OperatedAccount) => void; onLimit: (account: OperatedAccount) => void };

function columns({ onCredit, onLimit }: Actions): Column<ListedAccount>[] {
  return [
    {
      key: "account",
      header: texts.account,
      render: ({ id, name, company_name, email, status, has_members, balance, currency }) => (
        <>
          <RowLink href={`/operator/accounts/${id}`} wraps>
            <span dir="auto">{company_name || name}</span>
          </RowLink>
          <Text size="xs" c="dimmed" className="break-word">
            {contactOf({ name: company_name && name, email })}
          </Text>
          <Text size="sm" hiddenFrom="sm">
            <Money amount={balance} currency={currency} />
          </Text>
          <Box hiddenFrom="xs" mt={4}>
            <AccountStatus status={status} isInvited={!has_members} />
          </Box>
        </>
      ),
    },
    {
      key: "status",
      header: sharedTexts.status,
      visibleFrom: "xs",
      render: ({ status, has_members }) => <AccountStatus status={status} isInvited={!has_members} />,
    },
    {
      key: "balance",
      header: texts.balance,
      align: "right",
      visibleFrom: "sm",
      render: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
    },
    {
      key: "held",
      header: texts.reserved,
      align: "right",
      visibleFrom: "sm",
      render: ({ held, currency }) => <Money amount={held} currency={currency} />,
    },
    {
      key: "limits",
      header: texts.limits,
      visibleFrom: "lg",
      render: (account) => (
        <Text size="xs" c="dimmed">
          {limitsOf(account).join(" · ") || texts.defaults}
        </Text>
      ),
    },
    {
      key: "created",
      header: sharedTexts.created,
      visibleFrom: "md",
      render: ({ created_at }) => <Time value={created_at} />,
    },
    {
      key: "actions",
      header: <VisuallyHidden>{texts.actions}</VisuallyHidden>,
      align: "right",
      render: (account) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="xs"
            variant="default"
            onClick={() => onCredit(account)}
            aria-label={texts.creditAccount(account.company_name || account.name)}
          >
            {words.credit}
          </Button>
          <AccountMenu account={account} onLimit={() => onLimit(account)} />
        </Group>
      ),
    },
  ];
}
