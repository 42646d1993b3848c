import { SimpleGrid } from "@mantine/core";
import { IconCircleCheck, IconCoins, IconMessages, IconWallet } from "@/app/_ui/icons/icons";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";

const PERIOD = "Last 30 days";

/** Money and messages of an account at a glance. */
export function AccountFigures({ account: { balance, held, currency, days } }: { account: OperatedAccountDetail }) {
  const sum = (field: "messages" | "cost" | "delivered") => days.reduce((total, day) => total + day[field], 0);
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "lg" }}>
      <StatCard
        label="Balance"
        value={formatMoney(balance, currency)}
        hint={`${formatMoney(held, currency)} reserved`}
        icon={IconWallet}
      />
      <StatCard label="Spent" value={formatMoney(sum("cost"), currency)} hint={PERIOD} icon={IconCoins} />
      <StatCard label="Messages" value={formatCount(sum("messages"))} hint={PERIOD} icon={IconMessages} />
      <StatCard
        label="Delivered"
        value={formatShare(sum("delivered"), sum("messages"))}
        hint={PERIOD}
        icon={IconCircleCheck}
      />
    </SimpleGrid>
  );
}
