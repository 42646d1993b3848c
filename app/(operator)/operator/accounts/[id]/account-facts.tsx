import { Card, DataList, Text, Title } from "@mantine/core";
import { Copied, Fact } from "@/app/_ui/values/fact";
import { Time } from "@/app/_ui/values/time";
import { countryName } from "@/app/(console)/senders/_components/sender-words";
import { ROLE_WORDS } from "@/app/(console)/settings/team/_components/role-words";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";
import { limitsOf } from "../account-limits";

/** The fields of an account, its limits and its people. */
export function AccountFacts({ account }: { account: OperatedAccountDetail }) {
  const limits = limitsOf(account);
  return (
    <Card component="section" aria-labelledby="account-details" h="100%">
      <Title order={2} size="h4" mb="md" id="account-details">
        Details
      </Title>
      <DataList withDivider labelWidth={110}>
        <Fact label="Account ID">
          <Copied value={account.id} label="Copy account ID" />
        </Fact>
        <Fact label="Country">{countryName(account.country) ?? "Not given"}</Fact>
        <Fact label="Created">
          <Time value={account.created_at} />
        </Fact>
        <Fact label="Limits">
          {limits.length === 0 ? "Those of the installation" : limits.map((limit) => <div key={limit}>{limit}</div>)}
        </Fact>
        <Fact label="Members">
          {account.members.map(({ id, name, email, role }) => (
            <div key={id}>
              <span dir="auto">{name}</span>, {ROLE_WORDS[role].label.toLowerCase()}
              <Text size="xs" c="dimmed" className="break-word">
                {email}
              </Text>
            </div>
          ))}
        </Fact>
      </DataList>
    </Card>
  );
}
