/** The library for WebAuthn, loaded at its first use: it is large, and most processes never need it. */
export const loadWebauthn = () => import("@simplewebauthn/server");
