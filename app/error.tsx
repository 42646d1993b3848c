"use client";

import { Button, Center } from "@mantine/core";
import { IconAlertTriangle } from "@/app/_ui/icons/icons";
import { EmptyState } from "./_ui/lists/empty-state";

export default function ErrorPage({ retry }: { error: unknown; retry: () => void }) {
  return (
    <Center component="main" mih="100dvh">
      <EmptyState
        icon={IconAlertTriangle}
        title="This page failed to load"
        isPage
        action={<Button onClick={retry}>Try again</Button>}
      >
        Something went wrong on our side. Nothing was sent or charged by opening this page.
      </EmptyState>
    </Center>
  );
}
