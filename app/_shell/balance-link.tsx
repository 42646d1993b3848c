"use client";

import { Button, Skeleton, Text } from "@mantine/core";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconWallet } from "@/app/_ui/icons/icons";
import { trpc } from "../_trpc/client";
import { formatMoney } from "../_ui/values/money";

const REFRESH_MS = 30_000;

/** The available balance in the header, linked to the usage page. */
export function BalanceLink() {
  const { data } = trpc.accounts.balance.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <Button
      component={PageLink}
      href="/usage"
      variant="default"
      size="xs"
      radius="xl"
      // A long number has to shrink, because nothing next to it does.
      miw={0}
      style={{ flexShrink: 1 }}
      aria-label={data ? texts.balanceOf(formatMoney(data.balance, data.currency)) : texts.balance}
      leftSection={<IconWallet size={16} stroke={1.7} aria-hidden />}
    >
      <Text span inherit visibleFrom="xs" c="dimmed" mr={6}>
        {texts.balance}
      </Text>
      {data ? (
        <span className="tabular clip">{formatMoney(data.balance, data.currency)}</span>
      ) : (
        <Skeleton w={56} h={12} />
      )}
    </Button>
  );
}
