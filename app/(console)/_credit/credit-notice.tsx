"use client";

import { Button, Group, Text } from "@mantine/core";
import { IfMayChange } from "@/app/_shell/may-change";
import { creditTexts as texts } from "@/app/_texts/credit";
import { trpc } from "@/app/_trpc/client";
import { switchTestMode } from "@/app/_trpc/test-mode";
import { LinkBeside } from "@/app/_ui/frame/link-beside";
import { Notice } from "@/app/_ui/notice";
import { CopyButton } from "@/app/_ui/values/copy-button";

/**
 * Explains to an account without money why it cannot send, how to get credit, and that test mode needs none. Renders nothing for others.
 */
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
      <IfMayChange>
        <Text size="sm" mt="sm">
          {texts.meanwhile}
        </Text>
        <Button variant="default" size="xs" mt="xs" onClick={() => switchTestMode(true)}>
          {texts.switchToTestMode}
        </Button>
      </IfMayChange>
    </Notice>
  );
}
