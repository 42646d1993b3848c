/** People at the console: they sign in, and call the service as its pages do. */
import { openSession } from "@/test/network/operator-session";
import { detailsOf } from "../load/sends";
import { type Exchange, exchangeAt } from "./exchange";

/** A signed-in person. */
export type Person = { email: string; password: string; cookie: string };

type Call = {
  /** Address of a web process. */
  url: string;
  person: Person;
  procedure: string;
  input: object;
  idempotencyKey?: string;
  /** Whether the page is in test mode. */
  isTestMode?: boolean;
  abortAfterMs?: number | null;
};

const SIGN_IN_WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 500;

/** Signs a person in; the process that serves the pages may need a while to start. @throws Error when it does not work in a minute. */
export async function signIn(url: string, email: string, password: string): Promise<Person> {
  for (const until = Date.now() + SIGN_IN_WITHIN_MS; Date.now() < until; ) {
    const cookies = await openSession(url, { email, password }).catch(() => null);
    if (cookies) return { email, password, cookie: cookies.join("; ") };
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
  throw new Error(`${email} could not sign in.`);
}

/** Calls a procedure once. @returns its result as `data` of the body, or its error as `error`, as a REST response has them. */
async function ask({ url, person, procedure, input, idempotencyKey, isTestMode, abortAfterMs }: Call) {
  const answer = await exchangeAt({
    method: "POST",
    url: `${url}/api/trpc/${procedure}`,
    headers: { cookie: person.cookie, ...(isTestMode && { "test-mode": "true" }) },
    body: JSON.stringify(input),
    idempotencyKey,
    abortAfterMs,
  });
  const { result, error } = (answer.body ?? {}) as {
    result?: { data?: unknown };
    error?: { data?: { code?: unknown } };
  };
  const code = typeof error?.data?.code === "string" ? error.data.code : null;
  return { ...answer, code, fault: null, body: answer.body && { data: result?.data, error: error?.data } };
}

/** Calls a procedure; if the service wants the password once more, it gets it, and the call is repeated. */
export async function call(made: Call): Promise<Exchange> {
  const answer = await ask(made);
  if (answer.status !== 403 || detailsOf(answer).reason !== "confirmation_required") return answer;
  const { url, person } = made;
  await ask({ url, person, procedure: "auth.confirmPassword", input: { password: person.password } });
  return ask(made);
}
