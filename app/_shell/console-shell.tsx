"use client";

import { Box, Container, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Membership } from "@/server/members/schema";
import { usePerson } from "../_trpc/client";
import { useTestMode } from "../_trpc/test-mode";
import { SchemeToggle } from "../_ui/frame/scheme-toggle";
import { Shell } from "../_ui/frame/shell";
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

const NavigationDrawer = lazy(() => import("./navigation-drawer").then((file) => ({ default: file.NavigationDrawer })));

/** The frame of every page for signed-in users: navigation, balance, account menu. */
export function ConsoleShell({ viewer, children }: { viewer: ShellViewer; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [drawerOpen, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
  usePerson(viewer.email, viewer.accountId);
  const isTestMode = useTestMode(viewer.isTestMode);
  return (
    <Shell
      brand={<Home />}
      header={
        <Group ml="auto" gap="xs" wrap="nowrap">
          <Box visibleFrom="sm" mr="xs">
            <TestModeSwitch isOn={isTestMode} />
          </Box>
          <SearchButton isOperator={viewer.isOperator} />
          <BalanceLink />
          <SchemeToggle />
          <AccountMenu name={viewer.name} email={viewer.email} />
        </Group>
      }
      navigation={<Navigation isOperator={viewer.isOperator} role={viewer.role} />}
      navigationLabel="Main"
      isBesideHeader
      isDrawerOpen={drawerOpen}
      onOpenDrawer={drawer.open}
    >
      {wasOpened && (
        <Suspense>
          <NavigationDrawer
            opened={drawerOpen}
            onClose={drawer.close}
            isOperator={viewer.isOperator}
            role={viewer.role}
            isTestMode={isTestMode}
          />
        </Suspense>
      )}
      {isTestMode && <TestModeBanner />}
      <Container size={1180} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
        {children}
      </Container>
    </Shell>
  );
}
