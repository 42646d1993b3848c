"use client";

import { Button, Center } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";
import { EmptyState } from "./_ui/lists/empty-state";

/** Shown in place of a page that failed. A part of it may have failed to load, which only a reload of the page tries again. */
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
