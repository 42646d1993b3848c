"use client";

import { AppShell, Box, Burger, Container, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Membership } from "@/server/members/schema";
import { usePerson } from "../_trpc/client";
import { useTestMode } from "../_trpc/test-mode";
import { SchemeToggle } from "../_ui/frame/scheme-toggle";
import { AccountMenu } from "./account-menu";
import { BalanceLink } from "./balance-link";
import { Home } from "./home";
import { Navigation } from "./navigation";
import { SearchButton } from "./search/search-button";
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

const NavigationDrawer = lazy(() => import("./navigation-drawer").then((file) => ({ default: file.NavigationDrawer })));

/** The frame of every page for signed-in users: navigation, balance, account menu. */
export function ConsoleShell({ viewer, children }: { viewer: ShellViewer; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [drawerOpen, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
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
            <SearchButton isOperator={viewer.isOperator} />
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
        <Box className="nav-scroll" px="sm" py="xs">
          <Navigation isOperator={viewer.isOperator} role={viewer.role} />
        </Box>
      </AppShell.Navbar>
      {wasOpened && (
        <Suspense>
          <NavigationDrawer
            opened={drawerOpen}
            onClose={drawer.close}
            isOperator={viewer.isOperator}
            role={viewer.role}
          />
        </Suspense>
      )}
      <AppShell.Main id="content" tabIndex={-1} className="shell-main">
        {isTestMode && <TestModeBanner />}
        <Container size={1180} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}
