import type { ReactNode } from "react";
import { requireSession } from "@/server/auth/sessions/require-session";
import { SettingsTabs } from "./_components/settings-tabs";

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  const { role } = await requireSession();
  return (
    <>
      <SettingsTabs role={role} />
      {children}
    </>
  );
}
