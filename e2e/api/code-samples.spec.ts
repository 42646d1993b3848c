/** Runs the samples that the served document shows, against the service that serves it. */

import { freePort } from "@/scripts/free-port";
import { installedLanguages, type Language, runSample, startSample } from "@/test/samples/run-sample";
import { expect, test } from "../test";

type Sample = { label: string; source: string };
type Sampled = { "x-codeSamples": Sample[] };
type Document = { paths: Record<string, Record<string, Sampled>>; webhooks: Record<string, { post: Sampled }> };

const LANGUAGES = installedLanguages();
/** The sender and the id of the examples, and the port of the receivers; a test has its own. */
const EXAMPLE = { sender: "DEMO", id: /msg_[0-9a-z]+/, url: "https://shop.example/hooks/sms", port: "4000" };

async function documentOf(url: string): Promise<Document> {
  return (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as Document;
}

function sampleIn(operation: Sampled | undefined, language: Language): string {
  const found = operation?.["x-codeSamples"].find(({ label }) => label === language);
  if (!found) throw new Error(`There is no sample in ${language}.`);
  return found.source;
}

test("the samples in curl and Node are run", () => {
  expect(LANGUAGES).toEqual(expect.arrayContaining(["curl", "Node"]));
});

for (const language of LANGUAGES) {
  test(`the samples in ${language} send, read, list and create`, async ({ service, account, api }) => {
    const { paths } = await documentOf(service.url);
    const variables = { API_KEY: account.apiKey };
    const run = (path: string, method: string, change = (source: string) => source) =>
      runSample(language, change(sampleIn(paths[path]?.[method], language)), variables);

    const sent = await run("/messages/send", "post", (source) => source.replace(EXAMPLE.sender, account.sender));
    const [id = ""] = EXAMPLE.id.exec(sent) ?? [];
    expect((await api.get(`/messages/${id}`)).body.data).toMatchObject({ from: account.sender, to: "+14155550123" });

    expect(await run("/messages/{id}", "get", (source) => source.replace(EXAMPLE.id, id))).toContain(id);
    expect(await run("/messages", "get")).toContain(id);

    const url = `http://127.0.0.1:${await freePort()}/hooks`;
    const created = await run("/webhooks/create", "post", (source) => source.replace(EXAMPLE.url, url));
    expect(created).toContain("whsec_");
    const { body } = await api.get<{ data: { url: string }[] }>("/webhooks");
    expect(body.data.data.map((endpoint) => endpoint.url)).toEqual([url]);
  });
}

for (const language of LANGUAGES.filter((name) => name !== "curl")) {
  test(`the receiver in ${language} accepts what the service signed, and nothing else`, async ({ service, api }) => {
    const { webhooks } = await documentOf(service.url);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const { signing_secret: secret, id } = (await api.post("/webhooks/create", { url })).body.data;
    const source = sampleIn(webhooks["message.delivered"]?.post, language).replaceAll(EXAMPLE.port, String(port));
    const receiver = await startSample(language, source, { SIGNING_SECRET: String(secret) }, port);
    try {
      const forged = () =>
        fetch(url, { method: "POST", body: "{}", headers: { "service-signature": `t=1,v1=${"0".repeat(64)}` } });
      await expect.poll(() => forged().then(({ status }) => status, String)).toBe(400);
      const tested = (await api.post(`/webhooks/${id}/test`, undefined)).body.data;
      expect(tested).toMatchObject({ delivered: true, status_code: 204 });
      await expect.poll(receiver.printed).toContain("message.delivered");
    } finally {
      await receiver.stop();
    }
  });
}
