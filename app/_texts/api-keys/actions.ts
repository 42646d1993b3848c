import { defineTexts, plural } from "../define-texts";

const en = {
  edit: {
    title: "Edit API key",
    effect: "Programs keep using the same key. Changes apply within a second. For other permissions, create a new key.",
    changed: (key: string) => `API key “${key}” changed`,
  },
  newKey: {
    copyNow: "Copy the key now",
    label: (key: string) => `Key “${key}”`,
    howToSend: "How to send a message with it",
  },
  revoke: {
    button: "Revoke",
    buttonOf: (key: string) => `Revoke ${key}`,
    title: (key: string) => `Revoke “${key}”?`,
    effect: "Requests with this key are refused from now on. This cannot be undone.",
    cascade: (count: number) =>
      plural(count, {
        one: "Also revoke the key that it created",
        other: `Also revoke the ${count} keys that it created`,
      }),
    submit: "Revoke key",
    revoked: (key: string) => `API key “${key}” revoked`,
    revokedWithKeys: (key: string) => `API key “${key}” and its keys revoked`,
  },
};

/** The texts of what can be done about an API key, in the list and on its page. */
export const apiKeyActionsTexts = defineTexts({ en });
