import { Card, Center, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Brand } from "@/app/_ui/frame/brand";
import { SchemeToggle } from "@/app/_ui/frame/scheme-toggle";

export default function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <Center component="main" mih="100dvh" px="md" py="xl">
      <Stack w="100%" maw={420} gap="lg">
        <Center>
          <Brand />
        </Center>
        <Card padding="xl" shadow="sm">
          {children}
        </Card>
        <Center>
          <SchemeToggle />
        </Center>
      </Stack>
    </Center>
  );
}
