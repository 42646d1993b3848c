import type { ReactNode } from "react";
import { IfMayChange } from "@/app/_shell/may-change";
import { ReadOnlyNotice } from "./read-only-notice";

/** The pages that send. Read-only roles cannot open them. */
export default function SendLayout({ children }: { children: ReactNode }) {
  return <IfMayChange otherwise={<ReadOnlyNotice />}>{children}</IfMayChange>;
}
