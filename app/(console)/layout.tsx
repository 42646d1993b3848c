import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { TEST_MODE_COOKIE } from "@/app/_shell/test-mode-cookie";
import { requireSession } from "@/server/auth/sessions/session";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  const { name, email, isOperator, accountId, role } = session;
  const isTestMode = (await cookies()).get(TEST_MODE_COOKIE)?.value === "true";
  return <ConsoleShell viewer={{ name, email, isOperator, accountId, role, isTestMode }}>{children}</ConsoleShell>;
}
