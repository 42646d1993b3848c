"use client";

import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconUserPlus } from "@/app/_ui/icons/icons";
import { InvitationsCard } from "./invitations-card";
import { InviteDialog } from "./invite-dialog";
import { LeaveCard } from "./leave-card";
import { MembersCard } from "./members-card";

/** The people of the account, and who was invited. */
export function TeamView() {
  const { data: viewer } = trpc.auth.viewer.useQuery();
  const [inviting, dialog] = useDisclosure(false);
  const isOwner = viewer?.role === "owner";
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          isOwner && (
            <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={dialog.open}>
              {texts.inviteMember}
            </Button>
          )
        }
      />
      <Stack gap="lg">
        <MembersCard isOwner={isOwner} />
        {isOwner && <InvitationsCard />}
        <LeaveCard />
      </Stack>
      {isOwner && <InviteDialog opened={inviting} onClose={dialog.close} />}
    </>
  );
}
