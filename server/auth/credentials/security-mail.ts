/** Emails that tell people what has changed about their sign-in, so that they notice what somebody else did in their name. */
import type { Origin } from "../../core/actor";
import type { Tx } from "../../core/db";
import { publicUrl } from "../../core/env";
import type { Letter } from "../../mail/compose";
import { queueMail } from "../../mail/store";
import { deviceName } from "../sessions/device-name";

const VALID_S = 7 * 24 * 60 * 60;

/** `name`: that of the passkey. */
export type SecurityChange =
  | { kind: "passkey_added" | "passkey_removed"; name: string }
  | { kind: "app_enabled" | "app_disabled" | "recovery_codes_replaced" | "second_factor_cleared" }
  | { kind: "password_changed" | "password_reset" };

type Words = readonly [subject: string, text: string];

function wordsOf(change: SecurityChange): Words {
  switch (change.kind) {
    case "passkey_added":
      return ["A passkey was added", `The passkey “${change.name}” was added. It signs you in without your password.`];
    case "passkey_removed":
      return ["A passkey was removed", `The passkey “${change.name}” was removed. It does not sign you in any more.`];
    case "app_enabled":
      return ["An authenticator app was set up", "After your password, a sign-in now requires a second factor."];
    case "app_disabled":
      return ["Your authenticator app was disabled", "Its codes are no longer accepted."];
    case "recovery_codes_replaced":
      return ["New recovery codes were made", "The earlier codes no longer work."];
    case "second_factor_cleared":
      return [
        "Your second factor was removed",
        "An operator removed your authenticator app, passkeys and recovery codes. Your password alone signs you in until you add a second factor.",
      ];
    case "password_changed":
      return ["Your password was changed", "All your other sessions have ended."];
    case "password_reset":
      return ["Your password was changed", "A link for a forgotten password was used. All your sessions have ended."];
  }
}

const TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

function letterOf(change: SecurityChange, origin: Origin | undefined, now: Date): Letter {
  const [subject, text] = wordsOf(change);
  const from = origin?.address ? `, from ${origin.address} (${deviceName(origin.userAgent)})` : "";
  return {
    subject,
    paragraphs: [
      text,
      `Time: ${TIME.format(now)} UTC${from}.`,
      "If it was not you, change your password at once, look through your passkeys and sessions, and tell the operator of this installation.",
    ],
    link: { label: "Open your security settings", url: `${publicUrl()}/settings/security` },
  };
}

/**
 * Writes an email to a person in the transaction of the change, if a mail server is set. The person's row must be locked:
 * that lock comes before the one of their address.
 * @param origin where the person was; absent for what others did.
 * @returns whether the email was written.
 */
export async function tellPerson(tx: Tx, userId: string, change: SecurityChange, origin?: Origin): Promise<boolean> {
  const { rows } = await tx.query<{ email: string }>("SELECT email FROM users WHERE id = $1", [userId]);
  const [user] = rows;
  if (!user) return false;
  const letter = letterOf(change, origin, new Date());
  return queueMail(tx, { address: user.email, kind: "security", accountId: null, letter, validS: VALID_S });
}
