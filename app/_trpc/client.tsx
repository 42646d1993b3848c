"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { createTRPCReact } from "@trpc/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { askToSignIn, openQuestion } from "@/app/_shell/session-ended";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { askForPassword } from "@/app/_ui/forms/confirm-password";
import { BATCH_MAX } from "@/server/api/batch-size";
import type { AppRouter } from "@/server/api/router";
import { TEST_MODE_HEADER } from "@/server/api/test-mode";
import { SHOWN_ACCOUNT_HEADER } from "@/server/auth/sessions/shown-account";
import { signInPath } from "@/server/auth/sign-in/sign-in-path";
import { timedFetch } from "./clock";
import { repeatOnceSatisfied } from "./repeat-link";
import { isTestPage } from "./test-mode";

/** The console's client of the service: `trpc.messages.list.useQuery(…)`, `trpc.useUtils()`. */
export const trpc = createTRPCReact<AppRouter>();

const STALE_AFTER_MS = 5_000;
const RETRIES = 2;

/** The person whose pages are open, and the account that they show; null where that does not matter. */
type Shown = { email: string; accountId: string | null };

/** Null on pages for strangers, and once the person has signed out. */
let shown: Shown | null = null;
let signingIn: Promise<void> | null = null;

/** Called while rendering, because queries of a page start before its effects; on the server there is no page. */
function show(page: Shown): Shown {
  if (typeof window !== "undefined") shown = page;
  return page;
}

/**
 * Notes that pages of a person are open: if their session ends, they are asked to sign in again; if another tab switches it to
 * another account, calls of this page are refused.
 */
export function usePerson(email: string, accountId: string | null): void {
  const page = useMemo(() => show({ email, accountId }), [email, accountId]);
  useEffect(() => {
    show(page);
    return () => {
      // When layouts change, the new page is shown before the old one unmounts.
      if (shown !== page) return;
      shown = null;
      // The page has gone to sign-in, which replaces the question.
      openQuestion()?.close();
    };
  }, [page]);
}

/** Owner of the open pages: the person, the account and the mode. */
export const pageOwner = (): string =>
  [shown?.email, shown?.accountId, isTestPage() && "test"].filter(Boolean).join(" ");

/** Lets calls that need a session fail without a question, because the person is leaving. @returns a function that undoes this. */
export function dropPerson(): () => void {
  const dropped = shown;
  shown = null;
  return () => {
    shown ??= dropped;
  };
}

const leaveForSignIn = () => window.location.assign(signInPath(window.location.pathname + window.location.search));

/**
 * Opens a new session, once for all calls that were refused meanwhile.
 * @returns whether there is one now; false when the person has left the page instead.
 */
async function reopenSession(): Promise<boolean> {
  if (shown === null) return false;
  signingIn ??= askToSignIn(shown.email, passkeySignIn(), leaveForSignIn).finally(() => {
    signingIn = null;
  });
  await signingIn;
  return shown !== null;
}

/** Only a call without a response, or with a 5xx one, is worth another try: a refusal would only be repeated. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  const { status } = apiErrorOf(error);
  return failures < RETRIES && (status === null || status >= 500);
}

/**
 * Without a connection calls fail at once. By default React Query would silently hold them back, and send the form as it was
 * then once there is a connection again.
 */
const NETWORK_MODE = "always";

function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: NETWORK_MODE,
        // In this network mode it is off by default.
        refetchOnReconnect: true,
        staleTime: STALE_AFTER_MS,
        retry: isWorthRetrying,
      },
      mutations: { networkMode: NETWORK_MODE, retry: false },
    },
  });
}

const URL_PREFIX = "/api/trpc";

/** Headers of a request by this page: the account and the mode that it shows. */
export const pageHeaders = (): Record<string, string> => ({
  ...(shown?.accountId && { [SHOWN_ACCOUNT_HEADER]: shown.accountId }),
  ...(isTestPage() && { [TEST_MODE_HEADER]: "true" }),
});

/**
 * Returns the context of a call that is carried out once, however often it is repeated with this key.
 * @param headers of the page that the call belongs to, which another page may have replaced meanwhile.
 */
export const once = (idempotencyKey: string, headers = pageHeaders()) => ({ context: { idempotencyKey, headers } });

/**
 * Calls are sent in batches, except those with an Idempotency-Key, which stands for one call. Reads are POSTs too: texts and
 * people's phone numbers do not belong in an address, which proxies log. Browsers can follow changes by GET only; its address
 * names nothing but the account and the mode of the page.
 */
const transportLink = () =>
  splitLink<AppRouter>({
    condition: ({ type }) => type === "subscription",
    true: httpSubscriptionLink({ url: URL_PREFIX, connectionParams: pageHeaders }),
    false: callLink(),
  });

const callLink = () =>
  splitLink<AppRouter>({
    condition: ({ context }) => typeof context.idempotencyKey === "string",
    true: httpLink({
      url: URL_PREFIX,
      fetch: timedFetch,
      headers: ({ op }) => ({
        "idempotency-key": String(op.context.idempotencyKey),
        ...(op.context.headers as Record<string, string>),
      }),
    }),
    false: httpBatchLink({
      url: URL_PREFIX,
      fetch: timedFetch,
      methodOverride: "POST",
      maxItems: BATCH_MAX,
      headers: pageHeaders,
    }),
  });

/** A client whose refused calls ask for nothing. */
const plainClient = () => createTRPCClient<AppRouter>({ links: [transportLink()] });

/** Asks for the password and has the service check it. @returns whether it was right. */
const confirmPassword = (): Promise<boolean> => {
  const client = plainClient();
  return askForPassword((password) => client.auth.confirmPassword.mutate({ password }));
};

/** The parts of the service that a sign-in with a passkey over a page needs. */
function passkeySignIn() {
  const { auth } = plainClient();
  return {
    readOrigin: () => auth.signUpState.query().then((state) => state.passkey_origin),
    begin: auth.passkeys.beginSignIn.mutate,
  };
}

/** Has the person do what a refused call requires. @returns whether the call may be repeated. */
async function satisfy(error: unknown): Promise<boolean> {
  const { status, reason } = apiErrorOf(error);
  if (status === 401) return reopenSession();
  return reason === "confirmation_required" && confirmPassword();
}

/** Gives every page below it the typed client and one query cache. */
export function TrpcProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(newQueryClient);
  const [client] = useState(() => trpc.createClient({ links: [repeatOnceSatisfied(satisfy), transportLink()] }));
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </trpc.Provider>
  );
}
