/**
 * The library for WebAuthn, loaded at its first use: it takes 27 MiB, which most processes never need. Loading keeps a process busy for
 * 0.2 s, once.
 */
export const loadWebauthn = () => import("@simplewebauthn/server");
