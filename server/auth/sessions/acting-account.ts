/**
 * The account that a session acts in, and the person's role there, for queries with `sessions s JOIN users u`: the last chosen
 * one, as long as the person is a member of it. Otherwise the join drops the session, so it is not valid.
 */
export const ACTING_ACCOUNT = {
  /** The account's id, whether or not the person is still a member. */
  id: "coalesce(s.account_id, u.account_id)",
  join: "JOIN account_members m ON m.user_id = u.id AND m.account_id = coalesce(s.account_id, u.account_id)",
  columns: `m.account_id AS "accountId", m.role`,
} as const;
