import { cookies } from "next/headers";
import { TEST_MODE_COOKIE } from "../_trpc/test-mode-cookie";
import { COMPACT_COOKIE, EXACT_TIMES_COOKIE } from "../_ui/view/cookies";

/** Reads how this browser shows the console. */
export async function readViewCookies() {
  const given = await cookies();
  const isSet = (name: string) => given.get(name)?.value === "true";
  return {
    isTestMode: isSet(TEST_MODE_COOKIE),
    isCompact: isSet(COMPACT_COOKIE),
    hasExactTimes: isSet(EXACT_TIMES_COOKIE),
  };
}
