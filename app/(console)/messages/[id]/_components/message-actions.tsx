"use client";

import { Button } from "@mantine/core";
import { Suspense, useState } from "react";
import { IfMayChange } from "@/app/_shell/may-change";
import { messageTexts as texts } from "@/app/_texts/messages/detail";
import { lazily } from "@/app/_ui/connection/connection";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconChevronDown, IconRefresh } from "@/app/_ui/icons/icons";
import { isScheduled } from "@/app/_ui/values/message-status-badge";
import type { MessageDetail } from "@/server/messages/schema";
import { isFinal } from "@/server/messages/status";
import { CancelButton } from "./cancel-button";
import { RedactButton } from "./redact-button";
import { RescheduleButton } from "./reschedule-button";

const CopyMenu = lazily(() => import("./copy-menu").then((file) => ({ default: file.CopyMenu })));

/** Reschedules or cancels a message, sends it again or deletes its text while it has one, and copies it. */
export function MessageActions({ detail }: { detail: MessageDetail }) {
  const { id, to, status } = detail.message;
  const hasText = detail.message.body !== "";
  return (
    <>
      <IfMayChange>
        {isScheduled(detail.message) && <RescheduleButton message={detail.message} />}
        {status === "pending" && <CancelButton id={id} to={to} />}
        {hasText && !isScheduled(detail.message) && (
          <LinkButton href={`/send?again=${id}`} variant="default" leftSection={<IconRefresh size={16} aria-hidden />}>
            {texts.sendAgain}
          </LinkButton>
        )}
        {hasText && isFinal(status) && <RedactButton id={id} to={to} />}
      </IfMayChange>
      <CopyMenuButton detail={detail} />
    </>
  );
}

/** Loads the menu when it is first opened. */
function CopyMenuButton({ detail }: { detail: MessageDetail }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <Button
      variant="default"
      rightSection={<IconChevronDown size={16} aria-hidden />}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      {texts.copy}
    </Button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <CopyMenu detail={detail}>{button}</CopyMenu>
    </Suspense>
  );
}
