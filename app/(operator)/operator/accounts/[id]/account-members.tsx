"use client";

import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { accountTexts } from "@/app/_texts/operator/account";
import { rolesTexts } from "@/app/_texts/settings/roles";
import { formatCount } from "@/app/_ui/values/count";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";

/** Members that are shown at first: a large team would push everything else off the page. */
const SHOWN_MAX = 10;

/** The people of an account, each with their role. */
export function AccountMembers({ members }: { members: OperatedAccountDetail["members"] }) {
  const texts = accountTexts.details;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? members : members.slice(0, SHOWN_MAX);
  return (
    <>
      {shown.map(({ id, name, email, role }) => (
        <div key={id}>
          <span dir="auto" className="break-word">
            {name}
          </span>
          , {rolesTexts[role].label.toLowerCase()}
          <Text size="xs" c="dimmed" className="break-word">
            {email}
          </Text>
        </div>
      ))}
      {shown.length < members.length && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setAll(true)}>
          {texts.showAllMembers(formatCount(members.length))}
        </Button>
      )}
    </>
  );
}
