"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCLink } from "@trpc/client";
import { createTRPCReact } from "@trpc/react-query";
import { observable } from "@trpc/server/observable";
import { type ReactNode, useState } from "react";
import { apiErrorOf } from "@/app/_ui/api-error";
import { askForPassword } from "@/app/_ui/confirm-password";
import { BATCH_MAX } from "@/server/api/batch-size";
import type { AppRouter } from "@/server/api/router";

/** The console's door to the service: `trpc.messages.list.useQuery(…)`, `trpc.useUtils()`. */
export const trpc = createTRPCReact<AppRouter>();

const STALE_AFTER_MS = 5_000;
const RETRIES = 2;
/** Batched reads travel in the URL; longer ones are split, so that no proxy refuses them. */
const URL_MAX_CHARACTERS = 4_000;

/** A session that ended meanwhile: back to the sign-in page, and from there to where the person was. */
function leaveWhenSignedOut(error: unknown) {
  if (apiErrorOf(error).status !== 401) return;
  const here = window.location.pathname + window.location.search;
  if (!here.startsWith("/sign-")) window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

/** A refusal stays a refusal; only what never got an answer, or a 5xx one, is worth another try. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  const { status } = apiErrorOf(error);
  return failures < RETRIES && (status === null || status >= 500);
}

function newQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
    defaultOptions: {
      queries: { staleTime: STALE_AFTER_MS, retry: isWorthRetrying },
      mutations: { retry: false, onError: leaveWhenSignedOut },
    },
  });
}

const URL_PREFIX = "/api/trpc";

/** The context of a call that is carried out once, however often it is repeated with this key. */
export const once = (idempotencyKey: string) => ({ context: { idempotencyKey } });

/** Calls travel in batches, but for those that have an Idempotency-Key: it stands for one call. */
const transportLink = () =>
  splitLink<AppRouter>({
    condition: ({ context }) => typeof context.idempotencyKey === "string",
    true: httpLink({
      url: URL_PREFIX,
      headers: ({ op }) => ({ "idempotency-key": String(op.context.idempotencyKey) }),
    }),
    false: httpBatchLink({ url: URL_PREFIX, maxURLLength: URL_MAX_CHARACTERS, maxItems: BATCH_MAX }),
  });

/** Asks for the password and tells the service. @returns whether it was given. */
const confirmPassword = (): Promise<boolean> => {
  const client = createTRPCClient<AppRouter>({ links: [transportLink()] });
  return askForPassword((password) => client.auth.confirmPassword.mutate({ password }));
};

/** Repeats a call that requires a confirmed password, once, after the person has entered it. */
const confirmLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const ask = (mayConfirm: boolean) =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: async (error) => {
            const isWanted = mayConfirm && apiErrorOf(error).reason === "confirmation_required";
            if (isWanted && (await confirmPassword())) running = ask(false);
            else observer.error(error);
          },
        });
      let running = ask(true);
      return () => running.unsubscribe();
    });

/** Gives every page below it the typed client and one query cache. */
export function TrpcProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(newQueryClient);
  const [client] = useState(() => trpc.createClient({ links: [confirmLink, transportLink()] }));
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </trpc.Provider>
  );
}
