-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "account_id" TEXT;

-- CreateTable
CREATE TABLE "account_members" (
    "account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_members_pkey" PRIMARY KEY ("account_id","user_id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "account_members_user_id_idx" ON "account_members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_expires_at_idx" ON "invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_account_id_email_key" ON "invitations"("account_id", "email");

-- AddForeignKey
ALTER TABLE "account_members" ADD CONSTRAINT "account_members_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_members" ADD CONSTRAINT "account_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;


ALTER TABLE "account_members" ADD CONSTRAINT "account_members_role_check" CHECK ("role" IN ('viewer', 'developer', 'owner'));
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_role_check" CHECK ("role" IN ('viewer', 'developer', 'owner'));

-- The first person of an account is its owner, also one whom a process of the version before inserts during an update.
CREATE FUNCTION own_new_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_members (account_id, user_id, role, created_at)
  SELECT NEW.account_id, NEW.id, 'owner', NEW.created_at
  WHERE NOT EXISTS (SELECT 1 FROM account_members WHERE account_id = NEW.account_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER users_own_new_account AFTER INSERT ON "users" FOR EACH ROW EXECUTE FUNCTION own_new_account();

-- Until now every person was an owner of their account.
INSERT INTO account_members (account_id, user_id, role, created_at)
SELECT account_id, id, 'owner', created_at FROM users ON CONFLICT DO NOTHING;
