import { expect, test } from "vitest";
import { inEmptyDatabase, migrationNames } from "@/test/database/empty-database";

const MIGRATION = "20261127214000_passkeys";

test("recovery codes that exist stay with their person, also when the version before then removes an app", () =>
  inEmptyDatabase(async (client, apply) => {
    await apply(migrationNames().filter((name) => name < MIGRATION));
    await client.query(`INSERT INTO accounts (id, email, name) VALUES ('acc_1', 'ann@example.com', 'Ann')`);
    await client.query(
      `INSERT INTO users (id, account_id, email, name, password_hash) VALUES ('usr_1', 'acc_1', 'ann@example.com', 'Ann', '')`,
    );
    await client.query(`INSERT INTO second_factors (user_id, secret_sealed, confirmed_at) VALUES ('usr_1', '', now())`);
    await client.query(`INSERT INTO recovery_codes (user_id, code_hash) VALUES ('usr_1', 'a'), ('usr_1', 'b')`);
    await apply([MIGRATION]);
    const codes = async () => (await client.query("SELECT FROM recovery_codes")).rowCount;
    await client.query("INSERT INTO recovery_codes (user_id, code_hash) VALUES ('usr_1', 'c')");
    await client.query("DELETE FROM second_factors WHERE user_id = 'usr_1'");
    expect(await codes()).toBe(3);
    await client.query("DELETE FROM account_members");
    await client.query("DELETE FROM users WHERE id = 'usr_1'");
    expect(await codes()).toBe(0);
  }));
