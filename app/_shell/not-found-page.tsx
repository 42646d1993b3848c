"use client";

import { Card, Center } from "@mantine/core";
import { Suspense } from "react";
import { appTexts } from "@/app/_texts/app";
import { lazily } from "@/app/_ui/connection/connection";
import { IconMapPinOff } from "@/app/_ui/icons/icons";
import { trpc } from "../_trpc/client";
import { LinkButton } from "../_ui/frame/link-button";
import { EmptyState } from "../_ui/lists/empty-state";

const ConsoleShell = lazily(() => import("./console-shell").then((file) => ({ default: file.ConsoleShell })));

/** Shown at an address without a page, inside the console for signed-in people. It is rendered at build time. */
export function NotFoundPage() {
  const { data: viewer, isPending } = trpc.auth.viewer.useQuery();
  const message = (
    <EmptyState
      icon={IconMapPinOff}
      title={appTexts.notFound.title}
      action={<LinkButton href="/">{appTexts.notFound.backToOverview}</LinkButton>}
      isPage
    >
      {appTexts.notFound.reason}
    </EmptyState>
  );
  const alone = (isBusy: boolean) => (
    <Center component="main" mih="100dvh" aria-busy={isBusy}>
      {message}
    </Center>
  );
  if (!viewer) return alone(isPending);
  return (
    <Suspense fallback={alone(true)}>
      <ConsoleShell
        viewer={{
          name: viewer.name,
          email: viewer.email,
          isOperator: viewer.is_operator,
          accountId: null,
          mayChange: viewer.may_change,
        }}
      >
        <Card>{message}</Card>
      </ConsoleShell>
    </Suspense>
  );
}
