-- CreateTable
CREATE TABLE "provider_tokens" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "token_sealed" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "provider_tokens_pkey" PRIMARY KEY ("id")
);
