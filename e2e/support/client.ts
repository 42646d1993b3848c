import { createClient, type ServiceClient } from "messaging-service-client";
import type { Service } from "./service";

/** The client that we ship, with one key. */
export const clientWith = (service: Service, apiKey: string): ServiceClient =>
  createClient({ baseUrl: `${service.url}/api/v1`, apiKey });
