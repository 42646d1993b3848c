"use client";

import { Stack } from "@mantine/core";
import { profileTexts as texts } from "@/app/_texts/settings/profile";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { AccountCard } from "./account-card";
import { PersonCard } from "./person-card";

/** The person's name, and the profile of the account. */
export function ProfileView({ countries }: { countries: readonly string[] }) {
  const viewer = trpc.auth.viewer.useQuery();
  const account = trpc.accounts.get.useQuery();
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="lg">
        <QueryState query={viewer}>{(person) => <PersonCard name={person.name} email={person.email} />}</QueryState>
        <QueryState query={account}>
          {(data) => <AccountCard account={data} countries={countries} canEdit={viewer.data?.role === "owner"} />}
        </QueryState>
      </Stack>
    </>
  );
}
