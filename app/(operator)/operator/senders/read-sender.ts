import type { trpc } from "@/app/_trpc/client";
import { cannotTell } from "@/app/_ui/changes/outcome";
import type { ReviewedSender } from "@/server/operator/schema";

type Client = ReturnType<typeof trpc.useUtils>["client"];

/** A sender as it is stored now. Where very many accounts have one of that name, it may not be found: see `cannotTell`. */
export async function readSender(
  client: Client,
  { id, sender_id }: Pick<ReviewedSender, "id" | "sender_id">,
): Promise<ReviewedSender> {
  const { items } = await client.operator.senders.query({ search: sender_id, limit: 100 });
  return items.find((each) => each.id === id) ?? cannotTell();
}
