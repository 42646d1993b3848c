import { Card, DataList, Title } from "@mantine/core";
import { accountTexts } from "@/app/_texts/operator/account";
import { accountWordsTexts } from "@/app/_texts/operator/account-words";
import { sharedTexts } from "@/app/_texts/shared";
import { countryName } from "@/app/_ui/values/country-name";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { ExactTime } from "@/app/_ui/values/time";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";
import { limitsOf, ownLimitsOf } from "../account-limits";
import { AccountMembers } from "./account-members";

/** The fields of an account, its limits, those of its owners, and its people. */
export function AccountFacts({ account }: { account: OperatedAccountDetail }) {
  const texts = accountTexts.details;
  const limits = limitsOf(account);
  const ownLimits = ownLimitsOf(account);
  return (
    <Card component="section" aria-labelledby="account-details" h="100%">
      <Title order={2} size="h4" mb="md" id="account-details">
        {texts.title}
      </Title>
      <DataList withDivider labelWidth={110}>
        <Fact label={texts.accountId}>
          <Copied value={account.id} label={texts.copyAccountId} />
        </Fact>
        <Fact label={texts.country}>{countryName(account.country) ?? texts.notGiven}</Fact>
        <Fact label={sharedTexts.created}>
          <ExactTime value={account.created_at} />
        </Fact>
        <Fact label={texts.limits}>
          {limits.length === 0 ? texts.installationLimits : limits.map((limit) => <div key={limit}>{limit}</div>)}
        </Fact>
        <Fact label={texts.ownLimits}>
          {ownLimits.length === 0 ? texts.noOwnLimits : ownLimits.map((limit) => <div key={limit}>{limit}</div>)}
        </Fact>
        <Fact label={texts.members}>
          {account.members.length === 0 && accountWordsTexts.noOwnerYet}
          <AccountMembers members={account.members} />
        </Fact>
      </DataList>
    </Card>
  );
}
