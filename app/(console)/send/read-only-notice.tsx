"use client";

import { Card } from "@mantine/core";
import { readOnlyTexts as texts } from "@/app/_texts/send/read-only";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconSend } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";

/** Shown instead of a form whose message would be refused. */
export function ReadOnlyNotice() {
  return (
    <Card>
      <EmptyState
        icon={IconSend}
        title={texts.title}
        isPage
        action={
          <LinkButton href="/messages" variant="light">
            {texts.viewMessages}
          </LinkButton>
        }
      >
        {texts.explanation}
      </EmptyState>
    </Card>
  );
}
