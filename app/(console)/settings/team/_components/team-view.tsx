"use client";

import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
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
        title="Team"
        description="The people of this account and what they may do. API keys belong to the account, not to the person who made them."
        actions={
          isOwner && (
            <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={dialog.open}>
              Invite a member
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
