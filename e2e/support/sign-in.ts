import type { Page } from "@playwright/test";
import type { Service } from "./service";

/**
 * Signs in the page's browser without the form and without opening a page. The tests of sessions and the smoke tests use the
 * form.
 */
export async function signIn(
  { request }: Page,
  { url }: Pick<Service, "url">,
  { email, password, code }: { email: string; password: string; code?: string },
): Promise<void> {
  const { csrfToken } = (await (await request.get(`${url}/api/auth/csrf`)).json()) as { csrfToken: string };
  const response = await request.post(`${url}/api/auth/callback/credentials`, {
    form: { email, password, csrfToken, json: "true", ...(code && { code }) },
    maxRedirects: 0,
  });
  if (response.status() !== 200) throw new Error(`The sign-in of ${email} was answered with ${response.status()}.`);
}

/** Signs in as the operator that the first start created. */
export const signInOperator = (page: Page, service: Service): Promise<void> => signIn(page, service, service);
