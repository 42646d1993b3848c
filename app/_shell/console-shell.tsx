"use client";

import { AppShell, Box, Burger, Container, Drawer, Group, ScrollArea, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Membership } from "@/server/members/schema";
import { usePerson } from "../_trpc/client";
import { useTestMode } from "../_trpc/test-mode";
import { Brand } from "../_ui/frame/brand";
import { SchemeToggle } from "../_ui/frame/scheme-toggle";
import { AccountMenu } from "./account-menu";
import { BalanceLink } from "./balance-link";
import { Navigation } from "./navigation";
import { TestModeBanner } from "./test-mode-banner";
import { TestModeSwitch } from "./test-mode-switch";

/** `accountId`: null on a page that shows nothing of an account. `isTestMode`: as the request's cookie says. */
type ShellViewer = {
  name: string;
  email: string;
  isOperator: boolean;
  accountId: string | null;
  role: Membership["role"];
  isTestMode?: boolean;
};

const NAVBAR_WIDTH = 248;
const HEADER_HEIGHT = 60;

function Home({ onLeave }: { onLeave?: () => void }) {
  return (
    <UnstyledButton component={Link} href="/" onClick={onLeave} aria-label="Messaging Service, overview">
      <Brand />
    </UnstyledButton>
  );
}

/** The frame of every page for signed-in users: navigation, balance, account menu. */
export function ConsoleShell({ viewer, children }: { viewer: ShellViewer; children: ReactNode }) {
  const [drawerOpen, drawer] = useDisclosure(false);
  usePerson(viewer.email, viewer.accountId);
  const isTestMode = useTestMode(viewer.isTestMode);
  return (
    <AppShell
      layout="alt"
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: NAVBAR_WIDTH, breakpoint: "md", collapsed: { mobile: true } }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={drawerOpen} onClick={drawer.open} hiddenFrom="md" size="sm" aria-label="Open navigation" />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <Box visibleFrom="sm" mr="xs">
              <TestModeSwitch />
            </Box>
            <BalanceLink />
            <SchemeToggle />
            <AccountMenu name={viewer.name} email={viewer.email} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar visibleFrom="md" aria-label="Main">
        <Group h={HEADER_HEIGHT} px="lg">
          <Home />
        </Group>
        <ScrollArea flex={1} px="sm" py="xs">
          <Navigation isOperator={viewer.isOperator} role={viewer.role} />
        </ScrollArea>
      </AppShell.Navbar>
      <Drawer
        opened={drawerOpen}
        onClose={drawer.close}
        size={NAVBAR_WIDTH + 40}
        hiddenFrom="md"
        title={<Home onLeave={drawer.close} />}
        closeButtonProps={{ "aria-label": "Close navigation" }}
      >
        <Box hiddenFrom="sm" px="sm" pb="md">
          <TestModeSwitch />
        </Box>
        <nav aria-label="Main">
          <Navigation isOperator={viewer.isOperator} role={viewer.role} onLeave={drawer.close} />
        </nav>
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} className="shell-main">
        {isTestMode && <TestModeBanner />}
        <Container size={1180} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}
