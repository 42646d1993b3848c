"use client";

import { Group, Text } from "@mantine/core";
import { creditTexts as texts } from "@/app/_texts/credit";
import { trpc } from "@/app/_trpc/client";
import { LinkBeside } from "@/app/_ui/frame/link-beside";
import { Notice } from "@/app/_ui/notice";
import { CopyButton } from "@/app/_ui/values/copy-button";

/** Tells an account without money why it cannot send, and how it gets credit. Renders nothing for any other. */
export function CreditNotice() {
  const balance = trpc.accounts.balance.useQuery();
  const isEmpty = balance.data !== undefined && balance.data.balance <= 0;
  return isEmpty ? <Empty /> : null;
}

function Empty() {
  const account = trpc.accounts.get.useQuery();
  const viewer = trpc.auth.viewer.useQuery();
  return (
    <Notice title={texts.title}>
      <Text size="sm">
        {texts.consequence}{" "}
        {viewer.data?.is_operator
          ? texts.addCredit((words) => <LinkBeside href="/operator/accounts">{words}</LinkBeside>)
          : texts.askOperator}
      </Text>
      {account.data && !viewer.data?.is_operator && (
        <Group gap={4} mt={4}>
          <Text size="sm" className="mono break-word">
            {account.data.id}
          </Text>
          <CopyButton value={account.data.id} label={texts.copyId} />
        </Group>
      )}
    </Notice>
  );
}
