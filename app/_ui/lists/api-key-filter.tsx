"use client";

import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { trpc } from "@/app/_trpc/client";
import { FilterSelect } from "./filter-select";
import { keyOptions } from "./key-options";

/** Filters a list by one of the account's API keys. An ID from the address stays a choice even if no key has it. */
export function ApiKeyFilter({
  keyId,
  onChange,
}: {
  /** Empty: not filtered. */
  keyId: string;
  onChange: (keyId: string | undefined) => void;
}) {
  const { data } = trpc.apiKeys.details.useQuery();
  const options = keyOptions(data?.data ?? []);
  const isUnlisted = keyId !== "" && !options.some(({ value }) => value === keyId);
  return (
    <FilterSelect
      label={texts.apiKey}
      placeholder={texts.anyKey}
      options={isUnlisted ? [{ value: keyId, label: keyId }, ...options] : options}
      value={keyId}
      onChange={onChange}
      flex="1 1 140px"
      maw={{ sm: 220 }}
    />
  );
}
