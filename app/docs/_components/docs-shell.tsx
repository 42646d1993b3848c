"use client";

import { Box, Button, Container, Group, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { usePathname } from "next/navigation";
import { type ReactNode, Suspense, useState } from "react";
import { docsTexts as texts } from "@/app/_texts/docs";
import { lazily } from "@/app/_ui/connection/connection";
import { Brand } from "@/app/_ui/frame/brand";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { SchemeToggle } from "@/app/_ui/frame/scheme-toggle";
import { Shell } from "@/app/_ui/frame/shell";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { GUIDES } from "@/server/api/document/guides";
import { hrefOf, REFERENCE_HREF } from "../_guides/list";
import { DocsNavigation } from "./docs-navigation";

const SiteDrawer = lazily(() => import("@/app/_ui/frame/site-drawer").then((file) => ({ default: file.SiteDrawer })));

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

/** The frame of the documentation. The API reference has its own navigation, so the navigation of the guides is hidden there. */
export function DocsShell({ children }: { children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [drawerOpen, drawer] = useDisclosure(false, { onOpen: () => setWasOpened(true) });
  const isReference = usePathname() === REFERENCE_HREF;
  return (
    <Shell
      header={
        <>
          <UnstyledButton component={SiteLink} href={REFERENCE_HREF} aria-label={texts.home}>
            <Brand />
          </UnstyledButton>
          <Group component="nav" aria-label={texts.documentation} gap={4} ml="md" wrap="nowrap" visibleFrom="md">
            <Tab href={REFERENCE_HREF} label={texts.apiReference} active={isReference} />
            <Tab href={hrefOf(GUIDES[0].slug)} label={texts.guides} active={!isReference} />
          </Group>
          <Group ml="auto" gap="xs" wrap="nowrap">
            <Box visibleFrom="sm">
              <LinkButton href="/" variant="default" size="xs" radius="xl">
                {texts.openConsole}
              </LinkButton>
            </Box>
            <SchemeToggle />
          </Group>
        </>
      }
      navigation={isReference ? null : <DocsNavigation />}
      navigationLabel={texts.guides}
      isDrawerOpen={drawerOpen}
      onOpenDrawer={drawer.open}
    >
      {wasOpened && (
        <Suspense>
          <SiteDrawer opened={drawerOpen} onClose={drawer.close} title={<Brand />} label={texts.guides}>
            <DocsNavigation onLeave={drawer.close} />
          </SiteDrawer>
        </Suspense>
      )}
      {isReference ? (
        children
      ) : (
        <Container size={1100} px={{ base: "md", sm: "xl" }} py={{ base: "lg", sm: "xl" }}>
          {children}
        </Container>
      )}
    </Shell>
  );
}
