import type { IncomingMessage } from "node:http";
import { encode } from "next-auth/jwt";
import { expect, test } from "vitest";
import { makePerson } from "@/test/database/people";
import { endSession, startSession } from "../../auth/sessions/sessions";
import { env } from "../../core/env";
import { countVisit, visitorOf } from "./visitor";

/** A request with the session's cookie. */
async function requestOf(sessionId: string): Promise<IncomingMessage> {
  const token = await encode({ token: { sessionId }, secret: env().SECRET_KEY });
  const headers = { cookie: `next-auth.session-token=${token}` };
  return { headers, socket: { remoteAddress: "198.51.100.9" } } as unknown as IncomingMessage;
}

/** The visitor of a session once its person was looked up. */
async function known(sessionId: string) {
  const request = await requestOf(sessionId);
  await expect.poll(async () => (await visitorOf(request)).person).not.toBe(sessionId);
  return { request, visitor: await visitorOf(request) };
}

test("however many sessions a person has, their visits count together, and nobody else's with them", async () => {
  const [person, otherPerson] = [await makePerson(), await makePerson()];
  const first = await known(person.sessionId);
  const second = await known(await startSession(person.userId, { address: "", userAgent: "" }));
  const other = await known(otherPerson.sessionId);
  const persons = [first, second, other].map(({ visitor }) => visitor.person);
  expect(persons).toEqual([person.userId, person.userId, otherPerson.userId]);
  const refusalOf = ({ request, visitor }: typeof first) => countVisit(request, visitor, "Views", 300);
  expect(refusalOf(first)).toBeNull();
  expect(refusalOf(second)).toMatchObject({ status: 429 });
  expect(refusalOf(other)).toBeNull();
});

test("a session counts for itself until its person is known, and for its network once it has ended", async () => {
  const { sessionId } = await makePerson();
  expect(await visitorOf(await requestOf(sessionId))).toMatchObject({ sessionId, person: sessionId });
  const { sessionId: endedId } = await makePerson();
  await endSession(endedId);
  const { visitor } = await known(endedId);
  expect(visitor).toEqual({ sessionId: endedId, person: null, network: "198.51.100.9" });
});
