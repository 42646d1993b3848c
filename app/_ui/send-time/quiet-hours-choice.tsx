import { Checkbox, type CheckboxProps } from "@mantine/core";
import { sendTimeTexts } from "@/app/_texts/ui/send-time";
import { trpc } from "@/app/_trpc/client";
import { Time } from "@/app/_ui/values/time";

/** The choice to send in quiet hours too, for accounts that have any. `putOffTo`: when the message would otherwise be sent. */
export function QuietHoursChoice({ putOffTo, ...props }: CheckboxProps & { putOffTo: string | null }) {
  const { data: account } = trpc.accounts.get.useQuery();
  const hours = account?.quiet_hours;
  if (!hours) return null;
  const texts = sendTimeTexts.quietHours;
  return (
    <Checkbox
      label={texts.label}
      description={
        <>
          {texts.hours(hours.starts_at, hours.ends_at)}
          {putOffTo && <> {texts.putOff(<Time value={putOffTo} />)}</>}
        </>
      }
      {...props}
    />
  );
}
