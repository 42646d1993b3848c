import { Checkbox, type CheckboxProps } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { Time } from "@/app/_ui/values/time";

/** The choice to send in quiet hours too, for accounts that have any. `putOffTo`: when the message would be sent otherwise. */
export function QuietHoursChoice({ putOffTo, ...props }: CheckboxProps & { putOffTo: string | null }) {
  const { data: account } = trpc.accounts.get.useQuery();
  const hours = account?.quiet_hours;
  if (!hours) return null;
  const words = `${hours.starts_at} to ${hours.ends_at} by the recipient's clock, this account's messages wait.`;
  return (
    <Checkbox
      label="Send in quiet hours too"
      description={
        <>
          {`From ${words}`}
          {putOffTo && (
            <>
              {" "}
              This one would be sent <Time value={putOffTo} />.
            </>
          )}
        </>
      }
      {...props}
    />
  );
}
