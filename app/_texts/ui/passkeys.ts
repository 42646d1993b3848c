import { defineTexts } from "../define-texts";

const en = {
  closed: "The browser’s dialog was closed, or took too long. Try again.",
  known: "This device or password manager already has a passkey of yours for this service.",
  elsewhere: "The browser refuses passkeys at this address.",
  unsupported: "This device cannot make a passkey that checks who uses it. Try another one.",
  failed: "The device could not do it. Try again.",
};

/** Why a browser or device made or used no passkey. */
export const passkeysTexts = defineTexts({ en });
