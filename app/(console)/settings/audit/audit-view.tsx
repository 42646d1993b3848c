"use client";

import { Card } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { auditTexts as texts } from "@/app/_texts/settings/audit";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { AuditActionSelect, AuditTable } from "@/app/_ui/lists/audit-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { AUDIT_ACTIONS } from "@/server/audit/actions";

const PER_PAGE = 25;

/** Actions in the account, with actor and address. */
export function AuditView() {
  const { params, page, change, setPage } = useUrlState();
  const action = oneOf(AUDIT_ACTIONS, params.get("action"));
  const list = trpc.audit.list.useQuery({ action, page, limit: PER_PAGE }, { placeholderData: keepPreviousData });
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <UnusableFilters params={params} understood={{ action }} change={change} />
      <Card padding={0}>
        <div className="card-bar">
          <AuditActionSelect value={action} onChange={(chosen) => change({ action: chosen })} />
        </div>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <AuditTable rows={items} pagination={pagination} onPage={setPage} busy={list.isPlaceholderData} />
          )}
        </QueryState>
      </Card>
    </>
  );
}
