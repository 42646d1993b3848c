"use client";

import { Button, Center } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";
import { EmptyState } from "./_ui/lists/empty-state";

/** Shown instead of a page that failed. If a part of it failed to load, only a reload of the page tries that again. */
export default function ErrorPage() {
  return (
    <Center component="main" mih="100dvh">
      <EmptyState
        icon={IconAlertTriangle}
        title={appTexts.error.title}
        isPage
        action={<Button onClick={() => window.location.reload()}>{appTexts.tryAgain}</Button>}
      >
        {appTexts.error.reason}
      </EmptyState>
    </Center>
  );
}
