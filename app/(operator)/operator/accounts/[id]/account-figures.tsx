import { SimpleGrid } from "@mantine/core";
import { accountTexts } from "@/app/_texts/operator/account";
import { IconCircleCheck, IconCoins, IconMessages, IconWallet } from "@/app/_ui/icons/icons";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";

/** Money and messages of an account at a glance. */
export function AccountFigures({ account: { balance, held, currency, days } }: { account: OperatedAccountDetail }) {
  const texts = accountTexts.figures;
  const sum = (field: "messages" | "cost" | "delivered") => days.reduce((total, day) => total + day[field], 0);
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "lg" }}>
      <StatCard
        label={texts.balance}
        value={formatMoney(balance, currency)}
        hint={texts.reserved(formatMoney(held, currency))}
        icon={IconWallet}
      />
      <StatCard label={texts.spent} value={formatMoney(sum("cost"), currency)} hint={texts.period} icon={IconCoins} />
      <StatCard label={texts.messages} value={formatCount(sum("messages"))} hint={texts.period} icon={IconMessages} />
      <StatCard
        label={texts.delivered}
        value={formatShare(sum("delivered"), sum("messages"))}
        hint={texts.period}
        icon={IconCircleCheck}
      />
    </SimpleGrid>
  );
}
