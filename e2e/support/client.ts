import { MessagingClient } from "@/sdk/src/client";
import { contractOf } from "./contract";
import type { Service } from "./service";

/** The shipped client with one key; every response it gets is checked against the contract. */
export const clientWith = (service: Service, apiKey: string): MessagingClient => {
  const baseUrl = `${service.url}/api/v1`;
  return new MessagingClient({
    baseUrl,
    apiKey,
    fetch: async (request) => {
      const { method, url } = request;
      const [contract, sent] = await Promise.all([contractOf(service), request.clone().text()]);
      const answer = await fetch(request);
      const { status, headers } = answer;
      const text = await answer.clone().text();
      const path = url.slice(baseUrl.length);
      contract.check({ method, path, sent: sent === "" ? undefined : JSON.parse(sent), status, headers, text });
      return answer;
    },
  });
};
