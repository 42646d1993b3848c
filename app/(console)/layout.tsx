import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { readViewCookies } from "@/app/_shell/view-cookies";
import { FirstData } from "@/app/_trpc/first-data";
import { requireSession } from "@/server/auth/sessions/require-session";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  const { name, email, isOperator, accountId, mayChange } = session;
  const view = await readViewCookies();
  return (
    <FirstData isTestMode={view.isTestMode}>
      <ConsoleShell viewer={{ name, email, isOperator, accountId, mayChange, ...view }}>{children}</ConsoleShell>
    </FirstData>
  );
}
