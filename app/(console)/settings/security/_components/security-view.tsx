"use client";

import { Stack } from "@mantine/core";
import { useState } from "react";
import { securityTexts as texts } from "@/app/_texts/settings/security";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { PasskeysCard } from "./passkeys-card";
import { PasswordCard } from "./password-card";
import { RecoveryCodesCard } from "./recovery-codes-card";
import { SecondFactorCard } from "./second-factor-card";
import { SessionsCard } from "./sessions-card";

/** Where the person is signed in, and with what. */
export function SecurityView() {
  const [isMakingCodes, setMakingCodes] = useState(false);
  const makeCodes = () => setMakingCodes(true);
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="lg">
        <SessionsCard />
        <PasswordCard />
        <PasskeysCard onCodesLost={makeCodes} />
        <SecondFactorCard onCodesLost={makeCodes} />
        <RecoveryCodesCard isMaking={isMakingCodes} setMaking={setMakingCodes} />
      </Stack>
    </>
  );
}
