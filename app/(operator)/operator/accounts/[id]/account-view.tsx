"use client";

import { Box, Button, Grid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { accountTexts as texts } from "@/app/_texts/operator/account";
import { accountWordsTexts as words } from "@/app/_texts/operator/account-words";
import { trpc } from "@/app/_trpc/client";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { BackLink } from "@/app/_ui/frame/back-link";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconBuilding } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";
import { QueryState } from "@/app/_ui/lists/query-state";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";
import { AccountMenu } from "../account-menu";
import { AccountStatus, contactOf } from "../account-status";
import { CreditDialog } from "../credit-dialog";
import { LimitsDialog } from "../limits-dialog";
import { AccountFacts } from "./account-facts";
import { AccountFigures } from "./account-figures";
import { AccountKeysCard } from "./account-keys-card";
import { AccountMessagesCard } from "./account-messages-card";
import { LedgerCard } from "./ledger-card";
import { OwnerInvitation } from "./owner-invitation";
import { UnusualTraffic } from "./unusual-traffic";

type Props = { id: string; countries: readonly string[] };

/** One account, as its operator sees it: money, people, limits, keys and messages. */
export function AccountView({ id, countries }: Props) {
  const account = trpc.operator.account.useQuery({ account_id: id });
  const { data } = account;
  usePageTitle(data ? data.company_name || data.name : texts.title);
  if (apiErrorOf(account.error).status === 404) return <NoSuchAccount />;
  return (
    <>
      <BackLink href="/operator/accounts">{texts.allAccounts}</BackLink>
      <QueryState query={account}>
        {(found) => (
          <div>
            <AccountHeader account={found} countries={countries} />
            <Stack gap="lg">
              {found.members.length === 0 && <OwnerInvitation account={found} />}
              <AccountFigures account={found} />
              <Grid gap="lg">
                <Grid.Col span={{ base: 12, lg: 5 }}>
                  <AccountFacts account={found} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, lg: 7 }}>
                  <LedgerCard account={found} />
                </Grid.Col>
              </Grid>
              <AccountKeysCard keys={found.keys} />
              <AccountMessagesCard accountId={id} />
            </Stack>
          </div>
        )}
      </QueryState>
    </>
  );
}

function AccountHeader({ account, countries }: { account: OperatedAccountDetail; countries: readonly string[] }) {
  const [isCredited, setCredited] = useState(false);
  const [isLimited, setLimited] = useState(false);
  const { name, company_name: company, email } = account;
  return (
    <>
      <PageHeader
        title={
          <Text span inherit className="break-word" dir="auto">
            {company || name}
          </Text>
        }
        description={
          <span className="break-word" dir="auto">
            {contactOf({ name: company && name, email })}
          </span>
        }
        actions={
          <>
            <Box display="flex">
              <AccountStatus status={account.status} isInvited={account.members.length === 0} />
            </Box>
            <Button variant="default" onClick={() => setCredited(true)}>
              {words.credit}
            </Button>
            <AccountMenu account={account} size={36} onLimit={() => setLimited(true)} />
          </>
        }
      />
      <UnusualTraffic traffic={account.unusual_traffic} onLimit={() => setLimited(true)} />
      <CreditDialog account={isCredited ? account : null} onClose={() => setCredited(false)} />
      <LimitsDialog account={isLimited ? account : null} countries={countries} onClose={() => setLimited(false)} />
    </>
  );
}

const NoSuchAccount = () => (
  <NotFoundCard
    icon={IconBuilding}
    title={texts.notFound}
    why={texts.noSuchId}
    all={{ href: "/operator/accounts", label: texts.allAccounts }}
  />
);
