import { expect, test } from "vitest";
import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { findJoined, ifOver, OVER } from "./find-joined";

const invitation = { account_id: "acc_new" };
const refused = (text: string) => async () => text;
const signedIn = async () => null;
const members =
  (...ids: string[]) =>
  async () =>
    ids.map((account_id) => ({ account_id }));
const unreachable = async () => {
  throw new TypeError("Failed to fetch");
};

test("who can sign in and is a member has joined", async () => {
  expect(await findJoined(invitation, signedIn, members("acc_old", "acc_new"))).toBe("joined");
});

test("an invitation that was withdrawn while a try was lost is not called accepted", async () => {
  expect(await findJoined(invitation, signedIn, members("acc_old"))).toBe("not joined");
  expect(await findJoined(invitation, refused(credentialsTexts.wrong), unreachable)).toBe("not joined");
});

test("without a session, or without their accounts, nobody knows", async () => {
  expect(await findJoined(invitation, refused("Enter the code of your app."), members("acc_new"))).toBe("unknown");
  expect(await findJoined(invitation, signedIn, unreachable)).toBe("unknown");
});

test("only an invitation that is over is over", () => {
  const refusal = (reason: string) => ({ data: { httpStatus: 400, message: "Refused", details: { reason } } });
  expect(ifOver(refusal("invitation_over"))).toBe(OVER);
  expect(ifOver(refusal("sign_in_throttled"))).toBeUndefined();
});
