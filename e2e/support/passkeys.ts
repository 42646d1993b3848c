/** Passkeys in Chromium's virtual authenticator. */
import type { Page } from "@playwright/test";
import type { Service } from "./service";

/** The address of the service at which its passkeys work: browsers take no IP address. */
export const passkeyUrl = ({ url }: Pick<Service, "url">): string => url.replace("127.0.0.1", "localhost");

/**
 * Connects an authenticator to a page, as if it was built into the device: it makes and uses passkeys without asking. It stays when the
 * page goes elsewhere.
 */
export async function connectAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    /** The number of passkeys that it holds. */
    count: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
    /** Whether its person shows the finger, or another one. */
    setVerified: (isUserVerified: boolean) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}
