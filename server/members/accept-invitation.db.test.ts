import { expect, test } from "vitest";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../accounts/service";
import type { SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { acceptInvitation, getInvitation } from "./accept-invitation";
import { invite } from "./invitations";

const PASSWORD = "correct horse battery staple";

test("a person who gets a user elsewhere while they accept an invitation is asked for its password, and stays invited", async () => {
  const [inviter, email] = [`${newId("user")}@members.example`, `${newId("user")}@members.example`];
  const passwordHash = await hashOf(PASSWORD);
  const made = await createAccountWithOwner({ email: inviter, passwordHash, name: "Ann", companyName: "Acme" });
  const owner: SessionActor = { kind: "session", ...made, isOperator: false, isConfirmed: true, role: "owner" };
  const { link } = await invite(owner, { email, role: "viewer" });
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  const elsewhere = await openTransaction((tx) =>
    tx.query("INSERT INTO users (id, account_id, email, name, password_hash) VALUES ($1, $2, $3, 'Bob', $4)", [
      newId("user"),
      owner.accountId,
      email,
      passwordHash,
    ]),
  );
  const refused = acceptInvitation({ token, name: "Bob", password: PASSWORD }, { address: "", userAgent: "" }).catch(
    (thrown) => toApiError(thrown).wire,
  );
  await untilWaiting("INSERT INTO users");
  await elsewhere.commit();
  expect(await refused).toMatchObject({ code: "invalid_request", param: "password" });
  expect(await getInvitation({ token })).toMatchObject({ has_password: true });
  const { rows } = await pool().query(
    "SELECT 1 FROM account_members m JOIN users u ON u.id = m.user_id WHERE email = $1",
    [email],
  );
  expect(rows).toEqual([]);
});
