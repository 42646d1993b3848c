import { RowLink } from "@/app/_ui/lists/row-link";

/** The account of a row, which leads to its page: several accounts may have the same name. */
export const AccountLink = ({ account_id: id, account_name: name }: { account_id: string; account_name: string }) => (
  <RowLink href={`/operator/accounts/${id}`} wraps>
    {name}
  </RowLink>
);
