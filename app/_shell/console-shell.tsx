"use client";

import { AppShell, Box, Burger, Container, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { usePerson } from "../_trpc/client";
import { SchemeToggle } from "../_ui/frame/scheme-toggle";
import { AccountMenu } from "./account-menu";
import { BalanceLink } from "./balance-link";
import { Home } from "./home";
import { Navigation } from "./navigation";

type ShellViewer = { name: string; email: string; isOperator: boolean };

const NAVBAR_WIDTH = 248;
const HEADER_HEIGHT = 60;

const NavigationDrawer = lazy(() => import("./navigation-drawer").then((file) => ({ default: file.NavigationDrawer })));

/** The frame of every page for signed-in users: navigation, balance, account menu. */
export function ConsoleShell({ viewer, children }: { viewer: ShellViewer; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [drawerOpen, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
  usePerson(viewer.email);
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
          <Navigation isOperator={viewer.isOperator} />
        </Box>
      </AppShell.Navbar>
      {wasOpened && (
        <Suspense>
          <NavigationDrawer opened={drawerOpen} onClose={drawer.close} isOperator={viewer.isOperator} />
        </Suspense>
      )}
      <AppShell.Main id="content" tabIndex={-1} className="shell-main">
        <Container size={1180} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}
