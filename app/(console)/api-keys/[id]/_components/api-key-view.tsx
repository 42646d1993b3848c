"use client";

import { Button, Grid, Text } from "@mantine/core";
import { useState } from "react";
import { useMayChange } from "@/app/_shell/may-change";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { trpc } from "@/app/_trpc/client";
import { BackLink } from "@/app/_ui/frame/back-link";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { usePageTitle } from "@/app/_ui/frame/use-page-title";
import { IconBan, IconKeyOff, IconPencil } from "@/app/_ui/icons/icons";
import { NotFoundCard } from "@/app/_ui/lists/not-found-card";
import { QueryState } from "@/app/_ui/lists/query-state";
import type { ApiKeyDetail } from "@/server/api-keys/schema";
import { EditApiKeyDialog } from "../../_components/edit-api-key-dialog";
import { useRevoke } from "../../_components/revoke-button";
import { KeyFacts } from "./key-facts";
import { KeyRequestsCard } from "./key-requests-card";
import { KeyUsageCard } from "./key-usage-card";
import { RotateKeyButton } from "./rotate-key-button";

/** One API key: its limits, its use, and what can be done about it. */
export function ApiKeyView({ id }: { id: string }) {
  const keys = trpc.apiKeys.details.useQuery();
  const found = keys.data?.data.find((key) => key.id === id);
  usePageTitle(found ? texts.titleOf(found.name) : texts.title);
  if (keys.data && !found) return <NoSuchKey />;
  return (
    <>
      <BackLink href="/api-keys">{texts.allKeys}</BackLink>
      <QueryState query={keys}>
        {({ data }) =>
          found && (
            <div>
              <KeyHeader apiKey={found} />
              <Grid gap="lg">
                <Grid.Col span={{ base: 12, lg: 5 }}>
                  <KeyFacts apiKey={found} keys={data} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, lg: 7 }}>
                  <KeyUsageCard apiKey={found} />
                </Grid.Col>
              </Grid>
              <KeyRequestsCard keyId={id} />
            </div>
          )
        }
      </QueryState>
    </>
  );
}

function KeyHeader({ apiKey }: { apiKey: ApiKeyDetail }) {
  const mayChange = useMayChange();
  const [isEdited, setIsEdited] = useState(false);
  const { confirm, isPending } = useRevoke(apiKey);
  return (
    <>
      <PageHeader
        title={
          <Text span inherit className="break-word" dir="auto">
            {apiKey.name}
          </Text>
        }
        description={<span className="mono">{apiKey.key_hint}</span>}
        actions={
          mayChange &&
          apiKey.is_active && (
            <>
              <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setIsEdited(true)}>
                {texts.editLimits}
              </Button>
              <RotateKeyButton apiKey={apiKey} />
              <Button
                variant="default"
                c="var(--mantine-color-error)"
                leftSection={<IconBan size={16} />}
                loading={isPending}
                onClick={confirm}
              >
                {texts.revoke}
              </Button>
            </>
          )
        }
      />
      <EditApiKeyDialog apiKey={isEdited ? apiKey : null} onClose={() => setIsEdited(false)} />
    </>
  );
}

const NoSuchKey = () => (
  <NotFoundCard
    icon={IconKeyOff}
    title={texts.notFound}
    why={texts.whyNotFound}
    all={{ href: "/api-keys", label: texts.allKeys }}
  />
);
