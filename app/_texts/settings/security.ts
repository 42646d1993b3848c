import { defineTexts } from "../define-texts";

const en = {
  title: "Security",
  description: "Where you are signed in, and what you sign in with.",
  sessions: {
    title: "Sessions",
    description: "A session ends when you sign out, after 7 days without use, and after 30 days at most.",
    device: "Device",
    current: "This session",
    address: "Address",
    unknownAddress: "Unknown",
    signedIn: "Signed in",
    lastSeen: "Last seen",
    actions: "Actions",
    none: "No open session",
    noneHint: "Sign in again to see your sessions.",
  },
  signOut: {
    action: "Sign out",
    actionOf: (device: string) => `Sign out ${device}`,
    question: (device: string) => `Sign out ${device}?`,
    consequence: "This device has to sign in again. If it was not you, change your password too.",
    done: (device: string) => `${device} is signed out`,
  },
  signOutElsewhere: {
    action: "Sign out everywhere else",
    question: "Sign out everywhere else?",
    consequence: "All sessions except this one end.",
    done: "You are signed out everywhere else",
  },
  password: {
    form: "Change password",
    title: "Password",
    description: "A change signs you out everywhere else.",
    notChanged: "The password was not changed",
    unknown: "It is unknown whether the password was changed",
    again: "Try again: if your current password is refused, it was changed, and the new one is valid.",
    current: "Current password",
    new: "New password",
    submit: "Change password",
    changed: "Password changed",
  },
  secondFactor: {
    title: "Authenticator app",
    enabled: "Enabled",
    description: "After your password you enter a code from your phone, so a stolen password alone is not enough.",
    notSetUp: "It could not be set up",
    setUp: "Set up",
    code: "Code",
  },
  enrol: {
    form: "Set up authenticator app",
    instructions: "Scan this with your authenticator app, or type the key into it. Then enter the code that it shows.",
    qrCode: "QR code",
    key: "Key",
    submit: "Enable",
    appEnabled:
      "The app is enabled, and its codes are required at sign-in. Make new recovery codes with its next code.",
  },
  recovery: {
    left: (count: number) => `Recovery codes left: ${count}`,
    made: "Made",
    fewLeft: "Without one you cannot sign in if you lose your phone. Make new ones.",
    open: "New recovery codes",
    form: "New recovery codes",
    consequence: "All earlier recovery codes stop working.",
    submit: "Make new codes",
    failed: "No new recovery codes were made",
    unknown: "It is unknown whether new recovery codes were made",
    again: "Your earlier ones may no longer work. Try again with another code: each works once.",
    result: "Your new recovery codes",
    codes: "Recovery codes",
    notice:
      "Each replaces the app once. Keep them somewhere you can reach without your phone: they are shown only now.",
    kept: "I have kept them",
    lost: "The recovery codes were lost on the way",
    oldCodesInvalid:
      "They were stored but not shown, and the earlier ones no longer work. Make new ones with another code.",
    ended: "These recovery codes no longer work",
    ends: {
      replaced:
        "New ones have been made since, in another window or on another device. Use those, or make new ones again.",
      disabled: "The authenticator app has been disabled since, in another window or on another device.",
    },
  },
  proof: {
    password: "Password",
    codeHint: "From the app, or a recovery code.",
  },
  disable: {
    form: "Disable authenticator app",
    submit: "Disable",
    failed: "The authenticator app was not disabled",
    unknown: "It is unknown whether the app is enabled",
    again: "Try again with another code: each works once.",
    disabled: "Authenticator app disabled",
  },
};

/** The texts of the page of sessions, password and authenticator app. */
export const securityTexts = defineTexts({ en });
