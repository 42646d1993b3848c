import { invalidRequest } from "../../core/errors";
import { ssrfGuard } from "./post";
import { isBlockedUrlError, shownReason } from "./ssrf-guard";

/** Checks a URL with the SSRF guard that every delivery connects through. @throws 400 `url_not_allowed` */
export async function assertReachable(url: string): Promise<void> {
  try {
    await ssrfGuard().assertAllowed(url);
  } catch (thrown) {
    if (!isBlockedUrlError(thrown)) throw thrown;
    throw invalidRequest(thrown.message, {
      param: "url",
      reason: "url_not_allowed",
      details: { problem: shownReason(thrown) },
    });
  }
}
