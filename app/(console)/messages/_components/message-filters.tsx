"use client";
import { messagesTexts } from "@/app/_texts/messages/list";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { ApiKeyFilter } from "@/app/_ui/lists/api-key-filter";
import { createdBounds, type DayRange, dayOf } from "@/app/_ui/lists/created-range";
import { DaysFilter } from "@/app/_ui/lists/days-filter";
import { type ChangeFilters, FilterBar } from "@/app/_ui/lists/filter-bar";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { NumberFilter } from "@/app/_ui/lists/number-filter";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { oneOf, type UrlPatch } from "@/app/_ui/lists/use-url-state";
import { MESSAGE_STATUS_VIEWS, type MessageStatus } from "@/app/_ui/values/message-status-badge";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { NUMBER_PART_PATTERN } from "@/server/messages/phone";
import { MESSAGE_STATUSES } from "@/server/messages/status";
import { PROVIDERS, type ProviderId } from "@/server/providers/schema";

const SENDER_MAX_LENGTH = 16;
const KEY_ID_MAX_LENGTH = 40;
const REFERENCE_MAX_LENGTH = 255;

/** Empty texts filter nothing. */
export type MessageFilterValues = {
  status: MessageStatus | undefined;
  to: string;
  from: string;
  keyId: string;
  provider: ProviderId | undefined;
  reference: string;
  days: DayRange;
};

/** The text, or nothing if it is longer than any that could match. */
const upTo = (max: number, text: string | null): string => (text && text.length <= max ? text : "");

/** The filters in the address, without unusable values. */
export const messageFiltersOf = (params: URLSearchParams): MessageFilterValues => {
  const [to, keyId] = [params.get("to"), params.get("key")];
  return {
    status: oneOf(MESSAGE_STATUSES, params.get("status")),
    to: to && NUMBER_PART_PATTERN.test(to) ? to : "",
    from: upTo(SENDER_MAX_LENGTH, params.get("from")),
    keyId: keyId?.startsWith("key_") ? upTo(KEY_ID_MAX_LENGTH, keyId) : "",
    provider: oneOf(PROVIDERS, params.get("provider")),
    reference: upTo(REFERENCE_MAX_LENGTH, params.get("reference")),
    days: [dayOf(params.get("created_from")), dayOf(params.get("created_to"))],
  };
};

/** The filters by their names in the address. */
export const byParam = ({ status, to, from, keyId, provider, reference, days }: MessageFilterValues) => ({
  status,
  to,
  from,
  key: keyId,
  provider,
  reference,
  created_from: days[0],
  created_to: days[1],
});

/** The filters as the service knows them. */
export const filteredBy = ({ status, to, from, keyId, provider, reference, days }: MessageFilterValues) => ({
  status,
  part: to || undefined,
  from: from || undefined,
  api_key_id: keyId || undefined,
  provider,
  reference: reference || undefined,
  ...createdBounds(days),
});

/** Whether a filter is set that makes the service search, without an exact total. */
export const isSearch = ({ to, ...filters }: MessageFilterValues) => Boolean(to) || hasMore(filters);

/** Whether one of the rarer filters is set. */
const hasMore = ({ from, keyId, provider, reference }: Omit<MessageFilterValues, "to">) =>
  Boolean(from || keyId || provider || reference);

/** Whether any filter is set. */
export const isFiltered = (filters: MessageFilterValues) => Object.values(byParam(filters)).some(Boolean);

/** The patch that clears every filter. */
export const NO_FILTERS: UrlPatch = {
  status: undefined,
  to: undefined,
  from: undefined,
  key: undefined,
  provider: undefined,
  reference: undefined,
  created_from: undefined,
  created_to: undefined,
};

/** Filters of the message list; `change` writes them to the URL. */
export function MessageFilters({ values, change }: { values: MessageFilterValues; change: ChangeFilters }) {
  const texts = messagesTexts.filters;
  return (
    <FilterBar
      isFiltered={isFiltered(values)}
      onClear={() => change(NO_FILTERS)}
      more={<MoreFilters values={values} change={change} />}
      isMoreSet={hasMore(values)}
    >
      <FilterSelect
        label={sharedTexts.status}
        placeholder={texts.anyStatus}
        options={MESSAGE_STATUS_VIEWS.map(({ status, label }) => ({ value: status, label }))}
        value={values.status}
        onChange={(status) => change({ status })}
        flex="1 1 140px"
        maw={{ sm: 180 }}
      />
      <NumberFilter
        label={texts.recipient}
        accepts="part"
        number={values.to}
        onChange={(to) => change({ to }, "replace")}
        flex="1 1 150px"
        maw={{ sm: 220 }}
      />
      <DaysFilter label={sharedTexts.created} days={values.days} change={change} />
    </FilterBar>
  );
}

const FIELD = { flex: "1 1 140px", maw: { sm: 220 } } as const;

/** The rarer filters. A sender ID from the address stays a choice even if the account does not have it. */
function MoreFilters({ values, change }: { values: MessageFilterValues; change: ChangeFilters }) {
  const texts = messagesTexts.filters;
  const { data: names = [] } = trpc.senders.names.useQuery();
  return (
    <>
      <FilterSelect
        label={texts.sender}
        placeholder={texts.anySender}
        options={[...new Set(values.from ? [values.from, ...names] : names)]}
        value={values.from}
        onChange={(from) => change({ from })}
        {...FIELD}
      />
      <ApiKeyFilter keyId={values.keyId} onChange={(key) => change({ key })} />
      <FilterSelect
        label={texts.provider}
        placeholder={texts.anyProvider}
        options={PROVIDERS.map((id) => ({ value: id, label: PROVIDER_NAMES[id] }))}
        value={values.provider}
        onChange={(provider) => change({ provider })}
        {...FIELD}
      />
      <TextFilter
        label={texts.reference}
        placeholder={texts.referenceHint}
        maxLength={REFERENCE_MAX_LENGTH}
        value={values.reference}
        onChange={(reference) => change({ reference }, "replace")}
      />
    </>
  );
}
