import type { ReactNode } from "react";
import { ConsoleShell } from "@/app/_shell/console-shell";
import { requireSession } from "@/server/auth/sessions/session";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  const { name, email, isOperator, accountId, role } = session;
  return <ConsoleShell viewer={{ name, email, isOperator, accountId, role }}>{children}</ConsoleShell>;
}
