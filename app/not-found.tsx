import { Center } from "@mantine/core";
import { IconMapPinOff } from "@tabler/icons-react";
import type { Metadata } from "next";
import { EmptyState } from "./_ui/empty-state";
import { LinkButton } from "./_ui/link-button";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <Center component="main" mih="100dvh">
      <EmptyState
        icon={IconMapPinOff}
        title="Page not found"
        action={<LinkButton href="/">Back to the overview</LinkButton>}
      >
        The page does not exist, or it belongs to another account.
      </EmptyState>
    </Center>
  );
}
