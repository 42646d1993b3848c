"use client";

import { Button, Center } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";
import { EmptyState } from "./_ui/lists/empty-state";

export default function ErrorPage({ retry }: { error: unknown; retry: () => void }) {
  return (
    <Center component="main" mih="100dvh">
      <EmptyState
        icon={IconAlertTriangle}
        title={appTexts.error.title}
        isPage
        action={<Button onClick={retry}>{appTexts.tryAgain}</Button>}
      >
        {appTexts.error.reason}
      </EmptyState>
    </Center>
  );
}
