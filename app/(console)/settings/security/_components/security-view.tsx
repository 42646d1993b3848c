"use client";

import { Stack } from "@mantine/core";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { PasswordCard } from "./password-card";
import { SecondFactorCard } from "./second-factor-card";
import { SessionsCard } from "./sessions-card";

/** Where the person is signed in, and with what. */
export function SecurityView() {
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="lg">
        <SessionsCard />
        <PasswordCard />
        <SecondFactorCard />
      </Stack>
    </>
  );
}
