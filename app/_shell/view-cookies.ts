import { cookies } from "next/headers";
import { TEST_MODE_COOKIE } from "../_trpc/test-mode-cookie";
import { COMPACT_COOKIE } from "../_ui/frame/density-cookie";

/** How the browser wants the console to be shown. */
export async function readViewCookies(): Promise<{ isTestMode: boolean; isCompact: boolean }> {
  const given = await cookies();
  const isSet = (name: string) => given.get(name)?.value === "true";
  return { isTestMode: isSet(TEST_MODE_COOKIE), isCompact: isSet(COMPACT_COOKIE) };
}
