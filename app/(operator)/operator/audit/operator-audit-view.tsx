"use client";

import { Card, Group } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { operatorAuditTexts as texts } from "@/app/_texts/operator/audit";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { AuditActionSelect, AuditTable } from "@/app/_ui/lists/audit-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { UnusableFilters } from "@/app/_ui/lists/unusable-filters";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { AUDIT_ACTIONS } from "@/server/audit/actions";

const PER_PAGE = 25;
const SEARCH_MAX = 64;

/** Audit log of all accounts and of the installation. */
export function OperatorAuditView() {
  const { params, page, change, setPage } = useUrlState();
  const action = oneOf(AUDIT_ACTIONS, params.get("action"));
  const search = params.get("search") ?? "";
  const list = trpc.audit.listAll.useQuery(
    { action, search: search || undefined, page, limit: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <UnusableFilters params={params} understood={{ action }} change={change} />
      <Card padding={0}>
        <Group className="card-bar" gap="sm">
          <AuditActionSelect value={action} onChange={(chosen) => change({ action: chosen })} />
          <TextFilter
            aria-label={texts.searchById}
            placeholder={texts.idOfWhat}
            maw={{ xs: 340 }}
            maxLength={SEARCH_MAX}
            value={search}
            onChange={(text) => change({ search: text }, "replace")}
          />
        </Group>
        <QueryState query={list}>
          {({ items, pagination }) => (
            <AuditTable
              rows={items}
              withAccount
              pagination={pagination}
              onPage={setPage}
              busy={list.isPlaceholderData}
            />
          )}
        </QueryState>
      </Card>
    </>
  );
}
