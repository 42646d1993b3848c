"use client";

import { AppShell, Box, Burger, Button, Container, Drawer, Group, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { Brand } from "@/app/_ui/frame/brand";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { SchemeToggle } from "@/app/_ui/frame/scheme-toggle";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { GUIDES } from "@/server/api/document/guides";
import { hrefOf, REFERENCE_HREF } from "../_guides/list";
import { DocsNavigation } from "./docs-navigation";

const NAVBAR_WIDTH = 248;
const HEADER_HEIGHT = 60;

function Tab({ href, label, active }: { href: string; label: string; active: boolean }) {
  return (
    <Button
      component={SiteLink}
      href={href}
      size="xs"
      variant={active ? "light" : "subtle"}
      color={active ? undefined : "gray"}
      aria-current={active ? "page" : undefined}
    >
      {label}
    </Button>
  );
}

/** The frame of the documentation. The API reference has its own navigation, so that of the guides is hidden there. */
export function DocsShell({ children }: { children: ReactNode }) {
  const [drawerOpen, drawer] = useDisclosure(false);
  const isReference = usePathname() === REFERENCE_HREF;
  return (
    <AppShell
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: NAVBAR_WIDTH, breakpoint: "md", collapsed: { mobile: true, desktop: isReference } }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header className="shell-header">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={drawerOpen} onClick={drawer.open} hiddenFrom="md" size="sm" aria-label="Open navigation" />
          <UnstyledButton component={SiteLink} href={REFERENCE_HREF} aria-label="Messaging Service, documentation">
            <Brand />
          </UnstyledButton>
          <Group component="nav" aria-label="Documentation" gap={4} ml="md" wrap="nowrap" visibleFrom="md">
            <Tab href={REFERENCE_HREF} label="API reference" active={isReference} />
            <Tab href={hrefOf(GUIDES[0].slug)} label="Guides" active={!isReference} />
          </Group>
          <Group ml="auto" gap="xs" wrap="nowrap">
            <Box visibleFrom="sm">
              <LinkButton href="/" variant="default" size="xs" radius="xl">
                Open the console
              </LinkButton>
            </Box>
            <SchemeToggle />
          </Group>
        </Group>
      </AppShell.Header>
      {!isReference && (
        <AppShell.Navbar visibleFrom="md" aria-label="Guides">
          <Box className="nav-scroll" px="sm" py="md">
            <DocsNavigation />
          </Box>
        </AppShell.Navbar>
      )}
      <Drawer
        opened={drawerOpen}
        onClose={drawer.close}
        size={NAVBAR_WIDTH + 40}
        hiddenFrom="md"
        title={<Brand />}
        closeButtonProps={{ "aria-label": "Close navigation" }}
      >
        <nav aria-label="Guides">
          <DocsNavigation onLeave={drawer.close} />
        </nav>
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} className="shell-main">
        {isReference ? (
          children
        ) : (
          <Container size={1100} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
            {children}
          </Container>
        )}
      </AppShell.Main>
    </AppShell>
  );
}
