"use client";

import { Box, Container, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, Suspense, useState } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { lazily } from "@/app/_ui/connection/connection";
import { usePerson } from "../_trpc/client";
import { useTestMode } from "../_trpc/test-mode";
import { SchemeToggle } from "../_ui/frame/scheme-toggle";
import { Shell } from "../_ui/frame/shell";
import { useCompact } from "../_ui/view/density";
import { ExactTimesProvider } from "../_ui/view/exact-times";
import { AccountMenu } from "./account-menu";
import { BalanceLink } from "./balance-link";
import { Home } from "./home";
import { MayChangeProvider } from "./may-change";
import { Navigation } from "./navigation";
import { SearchButton } from "./search/search-button";
import { TestModeBanner } from "./test-mode-banner";
import { TestModeSwitch } from "./test-mode-switch";
import { useSignInElsewhere } from "./use-sign-in-elsewhere";

/** The width of the content in pixels: tables use all of it, lines of text are shorter. */
const WIDTH_MAX = 1_400;

/**
 * `accountId`: null on a page that shows nothing of an account. `mayChange`: their role lets them change it. `isTestMode`: as the
 * request's cookie says.
 */
type ShellViewer = {
  name: string;
  email: string;
  isOperator: boolean;
  accountId: string | null;
  mayChange: boolean;
  isTestMode?: boolean;
  /** Whether the request's cookie asks for compact tables. */
  isCompact?: boolean;
  /** Whether it asks for exact times. */
  hasExactTimes?: boolean;
};

const SiteDrawer = lazily(() => import("../_ui/frame/site-drawer").then((file) => ({ default: file.SiteDrawer })));

/** The frame of every page for signed-in users: navigation, balance, account menu. */
export function ConsoleShell({ viewer, children }: { viewer: ShellViewer; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [drawerOpen, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
  usePerson(viewer.email, viewer.accountId);
  useSignInElsewhere();
  const isTestMode = useTestMode(viewer.isTestMode);
  const isCompact = useCompact(viewer.isCompact);
  return (
    <MayChangeProvider mayChange={viewer.mayChange}>
      <ExactTimesProvider forServer={viewer.hasExactTimes}>
        <Shell
          brand={<Home />}
          header={
            <Group ml="auto" gap="xs" wrap="nowrap" miw={0}>
              <Box visibleFrom="sm" mr="xs">
                <TestModeSwitch isOn={isTestMode} />
              </Box>
              <SearchButton isOperator={viewer.isOperator} />
              <BalanceLink />
              <SchemeToggle withDensity />
              <AccountMenu name={viewer.name} email={viewer.email} />
            </Group>
          }
          navigation={<Navigation isOperator={viewer.isOperator} />}
          navigationLabel={texts.navigation}
          isBesideHeader
          isCompact={isCompact}
          isDrawerOpen={drawerOpen}
          onOpenDrawer={drawer.open}
        >
          {wasOpened && (
            <Suspense>
              <SiteDrawer
                opened={drawerOpen}
                onClose={drawer.close}
                title={<Home onLeave={drawer.close} />}
                label={texts.navigation}
                above={
                  <Box hiddenFrom="sm" px="sm" pb="md">
                    <TestModeSwitch isOn={isTestMode} />
                  </Box>
                }
              >
                <Navigation isOperator={viewer.isOperator} onLeave={drawer.close} />
              </SiteDrawer>
            </Suspense>
          )}
          {isTestMode && <TestModeBanner />}
          <Container size={WIDTH_MAX} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
            {children}
          </Container>
        </Shell>
      </ExactTimesProvider>
    </MayChangeProvider>
  );
}
